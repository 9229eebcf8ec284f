import type { Duplex } from 'node:stream';
import type { IdentityKey } from '@lcs/node';
import { type Clock, type Log, machineCertificate, StoreError } from '@lcs/platform';
import { changedCalibrations } from '../calibrations/changed-calibrations.ts';
import { BootEraStore } from '../clock-corrections/boot-era-store.ts';
import type { LeaderDatabase } from '../core/leader-context.ts';
import { NodeConnections } from '../fleet/node-connections.ts';
import { UnitHttp } from '../fleet/unit-http.ts';
import { HttpFeedClient } from '../follower/feed-client.ts';
import { FeedFollowers } from '../follower/feed-followers.ts';
import type { FeedBatch, FeedMark, IngestPort } from '../follower/ingest-port.ts';
import { FeedIngest, type FeedIngestOptions } from '../ingest/feed-ingest.ts';
import { SeriesChanges } from '../series/series-changes.ts';
import { SeriesIds } from '../series/series-ids.ts';
import { SeriesIngest } from '../series/series-ingest.ts';
import type { FollowedUnit, FromIngest, ToIngest } from './ingest-messages.ts';
import { MessageChannel } from './message-channel.ts';

export interface IngestWorkerOptions {
  /** As the database knows it. */
  readonly process: string;
  /** Of the leader. */
  readonly leaderId: string;
  readonly identityKey: IdentityKey;
  readonly database: LeaderDatabase;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly hostSynced: () => boolean;
}

/** Units that are stored or catch up at once. */
const atOnce = 8;

/** The active process has left: what it has not taken is read again. */
class NotTaken extends Error {
  constructor() {
    super('The active process has not taken the batch.');
    this.name = 'NotTaken';
  }
}

/** Reads and stores the feeds of the units that the active process names. What it has stored, it passes on, before the unit may delete it. */
export class IngestWorker {
  readonly #options: IngestWorkerOptions;
  readonly #ids: SeriesIds;
  readonly #feed: FeedIngest;
  readonly #fenced = Promise.withResolvers<void>();
  #onCorrection = (): void => {};
  #onLogged: FeedIngestOptions['onLogged'] = () => {};
  #units = new Map<string, FollowedUnit>();

  constructor(options: IngestWorkerOptions) {
    this.#options = options;
    const { database, clock, log } = options;
    const changes = new SeriesChanges();
    this.#ids = new SeriesIds(database);
    const series = { ids: this.#ids, changes, ingest: new SeriesIngest(database, this.#ids, changes) };
    const eras = new BootEraStore({ database, changes, onCorrection: () => this.#onCorrection() });
    const machineOf = (unit: string) => this.#units.get(unit)?.machineId ?? undefined;
    this.#feed = new FeedIngest({
      database,
      series,
      eras,
      clock,
      log,
      machineOf,
      onLogged: (entry) => this.#onLogged(entry),
    });
    this.#feed.subscribe({ statements: (batch) => changedCalibrations(batch, clock.now()) });
  }

  /** Resolves when others have its units: it must end. */
  get fenced(): Promise<void> {
    return this.#fenced.promise;
  }

  /**
   * Works for the active process at the other end, until that has left.
   * @param leaving aborted when this process ends: then it stores what it has read, calls `leave`, and hangs up
   */
  async serve(
    { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
    leaving: AbortSignal,
    leave: () => Promise<void>,
  ): Promise<void> {
    const { process, wire } = this.#options;
    this.#units = new Map();
    const link = new Link({ socket, head, wire }, (message, at) => this.#receive(message, at));
    const http = this.#http();
    const followers = this.#followers(link, http);
    link.followers = followers;
    this.#onCorrection = () => link.channel.send({ is: 'corrected' });
    this.#onLogged = (entry) => link.channel.send({ is: 'logged', entry });
    const left = Promise.withResolvers<void>();
    const onLeaving = () => left.resolve();
    leaving.addEventListener('abort', onLeaving, { once: true });
    if (leaving.aborted) onLeaving();
    link.channel.send({ is: 'hello', process });
    await Promise.race([link.channel.ended, left.promise]);
    leaving.removeEventListener('abort', onLeaving);
    // Nothing is followed any more from here.
    link.followers = undefined;
    // The next active process may have the units read from the moment at which it hears of this one.
    const stopped = followers.stop();
    void link.channel.ended.then(() => link.end());
    await stopped;
    http.close();
    if (leaving.aborted) await leave();
    link.channel.close();
  }

  #receive(message: ToIngest, link: Link): void {
    switch (message.is) {
      case 'follow':
        this.#units.set(message.of.unit, message.of);
        link.from.set(message.of.unit, message.from);
        link.followers?.follow(message.of.unit);
        return;
      case 'facts':
        this.#units.set(message.of.unit, message.of);
        return;
      case 'enrolled':
        link.followers?.enrolled(message.unit);
        return;
      case 'unfollow':
        this.#unfollow(message.unit, link);
        return;
      case 'taken':
        link.taken(message.number);
        return;
      case 'settle':
        void this.#feed.settled().then(() => link.channel.send({ is: 'settled', number: message.number }));
        return;
      case 'forget series':
        this.#ids.forget();
        return;
      case 'fenced':
        this.#fenced.resolve();
        return;
      case 'alive':
    }
  }

  #unfollow(unit: string, link: Link): void {
    // One that leaves hangs up when it has stopped all.
    link.followers?.unfollow(unit).then(
      () => link.channel.send({ is: 'unfollowed', unit }),
      (error: unknown) => {
        this.#options.log.error('A follower could not be ended', { unit, error });
        // Without this unit's answer the active process would wait for ever.
        link.channel.close();
      },
    );
  }

  #http(): { readonly unitHttp: UnitHttp; close(): void } {
    const { identityKey } = this.#options;
    const connections = new NodeConnections({
      // It has no address of its own.
      own: { address: { isListening: false, ownUrl: '' }, secret: '', publicKey: identityKey.publicKey },
      certificate: () => machineCertificate(identityKey.privateKey),
      addressOf: (unit) => this.#units.get(unit)?.url ?? undefined,
      units: () => [...this.#units.keys()],
      credentialsOf: (unit) => {
        const token = this.#units.get(unit)?.token ?? null;
        return token === null ? undefined : { leader_token: token };
      },
      keyOf: (unit) => this.#units.get(unit)?.publicKey ?? undefined,
    });
    const unitHttp = new UnitHttp(connections.headers, connections.agent);
    return {
      unitHttp,
      close: () => {
        unitHttp.close();
        connections.close();
      },
    };
  }

  #followers(link: Link, { unitHttp }: { readonly unitHttp: UnitHttp }): FeedFollowers {
    const { channel } = link;
    return new FeedFollowers({
      ...this.#options,
      atOnce,
      ingest: this.#ingestOver(link),
      clientOf: (unit) =>
        new HttpFeedClient(
          (call) => unitHttp.call(call),
          () => this.#baseOf(unit),
        ),
      mayFollow: (unit, epoch) => this.#units.get(unit)?.epoch === epoch,
      onAnswer: (unit, answer) =>
        channel.send({ is: 'answered', unit, answer: { ...answer, records: [], series: [] } }),
      onPosition: (unit, mark) => channel.send({ is: 'position', unit, mark }),
      onRefusal: (unit, fault) => channel.send({ is: 'refused', unit, fault }),
    });
  }

  #ingestOver(link: Link): IngestPort {
    return {
      mark: async (unit) => link.from.get(unit) ?? this.#feed.mark(unit),
      ingest: async (batch) => {
        await this.#store(batch);
        await link.pass(batch);
      },
      rewind: (unit, mark) => this.#feed.rewind(unit, mark),
    };
  }

  async #store(batch: FeedBatch): Promise<void> {
    try {
      await this.#feed.ingest(batch);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'fenced') this.#fenced.resolve();
      throw error;
    }
  }

  #baseOf(unit: string): URL {
    const url = this.#units.get(unit)?.url;
    if (url !== null && url !== undefined && URL.canParse(url)) return new URL(url);
    throw new Error(`The address of ${unit} is not known.`);
  }
}

/** The connection to one active process, and what waits for its answers. */
class Link {
  readonly channel: MessageChannel<FromIngest, ToIngest>;
  readonly from = new Map<string, FeedMark | null>();
  followers: FeedFollowers | undefined;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #isOpen = true;
  #number = 0;

  constructor(
    connection: { readonly socket: Duplex; readonly head: Buffer; readonly wire: Clock },
    receive: (message: ToIngest, link: Link) => void,
  ) {
    this.channel = new MessageChannel({ ...connection, onMessage: (message) => receive(message, this) });
  }

  /** Resolves when the active process has taken the batch. */
  async pass(batch: FeedBatch): Promise<void> {
    if (!this.#isOpen) throw new NotTaken();
    this.#number += 1;
    const taken = Promise.withResolvers<void>();
    this.#waiting.set(this.#number, taken);
    this.channel.send({ is: 'stored', number: this.#number, batch });
    await taken.promise;
  }

  taken(number: number): void {
    this.#waiting.get(number)?.resolve();
    this.#waiting.delete(number);
  }

  end(): void {
    this.#isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(new NotTaken());
    this.#waiting.clear();
  }
}
