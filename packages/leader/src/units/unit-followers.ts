import type { FeedAnswer, UnitTrouble } from '@lcs/contract';
import type { Clock, Living, Log, Probe } from '@lcs/platform';
import { HttpFeedClient, type UnitTransport } from '../follower/feed-client.ts';
import { FeedFollowers, type Liveness } from '../follower/feed-followers.ts';
import type { FeedBatch, FeedMark, IngestPort } from '../follower/ingest-port.ts';

export interface UnitFollowersOptions {
  readonly leaderId: string;
  readonly ingest: IngestPort;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly send: UnitTransport;
  readonly addressOf: (unit: string) => string | undefined;
  /** The numbering that the unit told of when it enrolled. */
  readonly epochOf: (unit: string) => string | undefined;
  readonly onAnswer: (unit: string, answer: FeedAnswer) => void;
  readonly onStored: (batch: FeedBatch) => void;
  readonly onTrouble: (unit: string, trouble: UnitTrouble) => void;
  readonly onLiveness: (unit: string, liveness: Liveness) => void;
  readonly probe?: Probe;
}

/** Between two units whose following begins: 200 of them have begun after 4 s. */
const beginEveryMs = 20;

/** Follows the units that shall be followed, and begins with them one after the other. */
export class UnitFollowers implements Living {
  readonly name = 'unit followers';
  readonly #options: UnitFollowersOptions;
  readonly #followers: FeedFollowers;
  readonly #wanted = new Set<string>();
  readonly #queue: string[] = [];
  #beginning: Promise<void> | undefined;
  readonly #ending = new Set<Promise<void>>();
  #stopping = new AbortController();
  #isUp = false;

  constructor(options: UnitFollowersOptions) {
    this.#options = options;
    const { send, addressOf, epochOf } = options;
    this.#followers = new FeedFollowers({
      ...options,
      clientOf: (unit) => new HttpFeedClient(send, () => baseOf(unit, addressOf(unit))),
      mayFollow: (unit, epoch) => epochOf(unit) === epoch,
    });
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#isUp = true;
    await this.#followers.start();
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#stopping.abort();
    await this.#beginning;
    await Promise.all(this.#ending);
    await this.#followers.stop();
  }

  /** Which units are followed from now on. */
  follow(unit: string): void {
    if (this.#wanted.has(unit)) return;
    this.#wanted.add(unit);
    this.#queue.push(unit);
    this.#begin();
  }

  unfollow(unit: string): void {
    if (!this.#wanted.delete(unit)) return;
    // Not awaited: the follower itself may have asked for it.
    const ended = this.#followers
      .unfollow(unit)
      .catch((error: unknown) => this.#options.log.error('A follower could not be ended', { unit, error }))
      .finally(() => {
        this.#ending.delete(ended);
        // Wanted again meanwhile.
        if (this.#wanted.has(unit)) this.#followNow(unit);
      });
    this.#ending.add(ended);
  }

  /** Ends the connections to all units, then follows them again from where the store stands. */
  async reconnect(): Promise<void> {
    const units = [...this.#wanted];
    await Promise.all(units.map((unit) => this.#followers.unfollow(unit)));
    this.#queue.push(...units);
    this.#begin();
  }

  enrolled(unit: string): void {
    this.#followers.enrolled(unit);
  }

  livenessOf(unit: string): Liveness | undefined {
    return this.#followers.livenessOf(unit);
  }

  markOf(unit: string): FeedMark | undefined {
    return this.#followers.markOf(unit);
  }

  #begin(): void {
    if (!this.#isUp || this.#beginning) return;
    this.#beginning = this.#beginAll().finally(() => {
      this.#beginning = undefined;
      if (this.#queue.length > 0) this.#begin();
    });
  }

  async #beginAll(): Promise<void> {
    const { wire } = this.#options;
    for (let unit = this.#queue.shift(); unit !== undefined; unit = this.#queue.shift()) {
      this.#followNow(unit);
      if (this.#queue.length > 0) await wire.sleep(beginEveryMs, this.#stopping.signal).catch(() => {});
      if (this.#stopping.signal.aborted) return;
    }
  }

  #followNow(unit: string): void {
    if (this.#isUp && this.#wanted.has(unit)) this.#followers.follow(unit);
  }
}

function baseOf(unit: string, address: string | undefined): URL {
  if (address !== undefined && URL.canParse(address)) return new URL(address);
  throw new Error(address === undefined ? `Nobody knows where ${unit} is.` : `${address} is no address.`);
}
