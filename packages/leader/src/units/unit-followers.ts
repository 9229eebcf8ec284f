import type { FeedAnswer } from '@lcs/contract';
import { byItself, type Clock, type Log, type Probe, type Service } from '@lcs/platform';
import { HttpFeedClient, type UnitTransport } from '../follower/feed-client.ts';
import { FeedFollowers, type FollowerReports, type Followers } from '../follower/feed-followers.ts';
import type { IngestPort } from '../follower/ingest-port.ts';
import { enrolmentOf } from './unit-session.ts';
import type { UnitSessions } from './unit-sessions.ts';

/** Followers in several processes, of which this one is the last. */
interface SharedFollowers extends Followers {
  /** @throws StoreError */
  start(): Promise<void>;
}

export interface UnitFollowersOptions {
  readonly leaderId: string;
  readonly ingest: IngestPort;
  readonly sessions: UnitSessions;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly send: UnitTransport;
  readonly addressOf: (unit: string) => string | undefined;
  /** Whether NTP synchronises the leader's clock. Absent: no. */
  readonly hostSynced?: () => boolean;
  readonly onAnswer: (unit: string, answer: FeedAnswer) => void;
  readonly probe?: Probe;
  /** Other processes read units, too. @param local the followers of this process */
  readonly share?: (local: Followers, reports: FollowerReports) => SharedFollowers;
}

/** Interval between the starts of two followers: 200 have started after 4 s. */
const beginEveryMs = 20;

/** Follows the required units; starts their followers one after the other. */
export class UnitFollowers implements Service {
  readonly name = 'unit followers';
  readonly #options: UnitFollowersOptions;
  readonly #followers: Followers;
  readonly #startFollowers: () => Promise<void>;
  readonly #wanted = new Set<string>();
  readonly #queue: string[] = [];
  #beginning: Promise<void> | undefined;
  readonly #ending = new Set<Promise<void>>();
  #stopping = new AbortController();
  #isUp = false;

  constructor(options: UnitFollowersOptions) {
    this.#options = options;
    const { send, addressOf, sessions } = options;
    const reports: FollowerReports = {
      onAnswer: options.onAnswer,
      onPosition: (unit, mark) => sessions.dispatch(unit, { is: 'feed stored', mark }),
      onRefusal: (unit, fault) => sessions.dispatch(unit, { is: 'feed refused', fault }),
    };
    const local = new FeedFollowers({
      ...options,
      ...reports,
      clientOf: (unit) => new HttpFeedClient(send, () => baseOf(unit, addressOf(unit))),
      mayFollow: (unit, epoch) => enrolmentOf(sessions.of(unit))?.epoch === epoch,
    });
    const shared = options.share?.(local, reports);
    this.#followers = shared ?? local;
    this.#startFollowers = async () => shared?.start();
    sessions.onEffect((unit, effect) => {
      if (effect.do === 'follow') this.#follow(unit);
      else if (effect.do === 'unfollow') this.#unfollow(unit);
      else if (effect.do === 'restart feed') this.#followers.enrolled(unit);
    });
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    await this.#startFollowers();
    this.#isUp = true;
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#stopping.abort();
    await this.#beginning;
    await Promise.all(this.#ending);
    await this.#followers.stop();
  }

  #follow(unit: string): void {
    if (this.#wanted.has(unit)) return;
    this.#wanted.add(unit);
    this.#queue.push(unit);
    this.#begin();
  }

  #unfollow(unit: string): void {
    if (!this.#wanted.delete(unit)) return;
    // Not awaited: the follower itself may have requested it.
    const ended = this.#followers
      .unfollow(unit)
      .catch((error: unknown) => this.#options.log.error('A follower could not be ended', { unit, error }))
      .finally(() => {
        this.#ending.delete(ended);
        // Required again meanwhile.
        if (this.#wanted.has(unit)) this.#followNow(unit);
      });
    this.#ending.add(ended);
  }

  /** Ends the connections to all units, then follows them again from their stored marks. */
  async reconnect(): Promise<void> {
    const units = [...this.#wanted];
    await Promise.all(units.map((unit) => this.#followers.unfollow(unit)));
    this.#queue.push(...units);
    this.#begin();
  }

  #begin(): void {
    if (!this.#isUp || this.#beginning) return;
    // It goes on after the request that caused it.
    this.#beginning = byItself(() => this.#beginAll()).finally(() => {
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
  throw new Error(address === undefined ? `The address of ${unit} is not known.` : `${address} is not a valid URL.`);
}
