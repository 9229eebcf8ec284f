import {
  ApiError,
  allPermissions,
  type LiveEventName,
  type LiveEvents,
  type LiveSnapshot,
  visibleSnapshot,
} from '@lcs/contract';
import { leaderSettings } from '@lcs/domain';
import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import type { LiveListener, LivePublisher } from '../core/leader-context.ts';
import type { BacklogLimits } from './live-backlog.ts';
import { type BroadcastPort, LiveBroadcast } from './live-broadcast.ts';
import { eventId, eventText, type LiveEvent, sequenceOf } from './live-event.ts';
import { positionText } from './live-position.ts';
import { LiveReader, type LiveRights } from './live-reader.ts';
import { RecentEvents } from './recent-events.ts';

/**
 * Reads the initial state of a page. It calls `mark` at the moment of its snapshot: everything published before must be contained in it;
 * later changes follow as events, even if the snapshot contains them already.
 */
export type SnapshotSource = (mark: () => void) => Promise<LiveSnapshot>;

export interface LiveHubOptions {
  readonly wire: Clock;
  readonly log: Log;
  /** Differs at each start of the leader, so that event IDs of an earlier run are recognised. */
  readonly run: string;
  readonly snapshot: SnapshotSource;
  /** Events kept for readers that reconnect. Default 2,048. */
  readonly recentEvents?: number;
  readonly limits?: BacklogLimits;
  /** The limit of connections; each costs up to 200 kB. Default 200. */
  readonly connections?: number;
  /** Carries events to processes that send them to their clients themselves. Default: there are none. */
  readonly broadcast?: BroadcastPort;
}

/** A group of connections with a limit of its own: those of one caller, or of one address. */
export interface LiveGroup {
  readonly key: string;
  readonly limit: number;
}

/** Half of the shortest usual limit of proxies for silent connections (30 s). */
const keepAliveMs = 15_000;
/** The delay before a browser reconnects. */
const preamble = 'retry: 2000\n\n';
const retryAfterS = 5;

const everything: LiveRights = () => allPermissions;

/** One connection, as it was requested. */
interface LiveRequest {
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  readonly groups: readonly LiveGroup[];
  readonly rights: LiveRights;
  readonly isRelayed: boolean;
}

interface SharedSnapshot {
  readonly readers: LiveReader[];
  marked: boolean;
}

/** Publishes all changes to the readers of `GET /api/live`. */
export class LiveHub implements LivePublisher, Service {
  readonly name = 'live stream';
  readonly #options: LiveHubOptions;
  readonly #recent: RecentEvents;
  /** Readers that receive each event at once; not those that still wait for their snapshot. */
  readonly #subscribed = new Set<LiveReader>();
  readonly #connected = new Set<LiveReader>();
  readonly #broadcast: LiveBroadcast | undefined;
  /** Connections that receive all events by the broadcast; from here only their beginning, and the end when their rights change. */
  readonly #relayed = new Set<LiveReader>();
  /** Connections of each group. */
  readonly #ofGroup = new Map<string, number>();
  readonly #listeners = new Set<LiveListener>();
  #sequence = 0;
  #runningSnapshot: SharedSnapshot | undefined;
  #stopKeepAlive = (): void => {};
  #stopped = false;
  /** The refusal of a connection was logged, and the limit has been exceeded since. */
  #isFullLogged = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
    this.#recent = new RecentEvents(options.recentEvents);
    const { broadcast: port, run, log } = options;
    this.#broadcast = port && new LiveBroadcast({ port, run, log });
    this.#broadcast?.onLost(() => this.#endRelayed());
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#stopKeepAlive = this.#options.wire.every(keepAliveMs, () => {
      // A session may have ended by itself.
      this.checkRights();
      if (this.#broadcast?.isOpen === false) this.#endRelayed();
      for (const reader of this.#connected)
        reader.keepAlive(this.#relayed.has(reader) ? this.#position(reader, this.#sequence) : undefined);
    });
  }

  /** Ends all connections. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopKeepAlive();
    for (const reader of this.#connected) reader.end();
  }

  /** Ends the connections whose rights have changed. Call it after each change of people, sessions and tokens. */
  checkRights(): void {
    for (const reader of this.#connected) reader.checkRights();
  }

  /** The number of connections. */
  get readers(): number {
    return this.#connected.size;
  }

  publish<Name extends LiveEventName>(name: Name, key: string, data: LiveEvents[Name]): void {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const text = eventText(eventId(this.#options.run, sequence), name, data);
    const event: LiveEvent = { sequence, name, topic: `${name}/${key}`, text };
    this.#recent.add(event);
    for (const reader of this.#subscribed) reader.add(event);
    if (this.#relayed.size > 0) this.#broadcast?.send(event);
    for (const listener of this.#listeners) listener(name, data);
  }

  /** Subscribes a part of the leader to all events. */
  listen(listener: LiveListener): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * The stream of one connection, until `signal` is aborted or the hub stops. `lastEventId` is the last event that the reader received: if
   * all later events are still kept, the stream continues there, otherwise it begins with a snapshot.
   * Events that the reader may not see are left out.
   * @param groups of the connection
   * @throws ApiError `shutting_down` when the hub has stopped, `too_many_live_connections`
   */
  follow(
    lastEventId: string | undefined,
    signal: AbortSignal,
    groups: readonly LiveGroup[] = [],
    rights: LiveRights = everything,
  ): AsyncGenerator<string, void, undefined> {
    return this.#open({ lastEventId, signal, groups, rights, isRelayed: false });
  }

  /**
   * The same for a process that listens to the broadcast: after the snapshot, or the missed events, it receives a position instead of events,
   * and another one with each keep-alive. While nothing can be broadcast, it receives all events.
   */
  relay(
    lastEventId: string | undefined,
    signal: AbortSignal,
    groups: readonly LiveGroup[] = [],
    rights: LiveRights = everything,
  ): AsyncGenerator<string, void, undefined> {
    return this.#open({ lastEventId, signal, groups, rights, isRelayed: this.#broadcast?.isOpen === true });
  }

  #open(request: LiveRequest): AsyncGenerator<string, void, undefined> {
    if (this.#stopped) throw new ApiError('shutting_down', {});
    const limit = this.#exceeded(request.groups);
    if (limit !== undefined) {
      if (!this.#isFullLogged) this.#options.log.warn('A live connection was refused: there are too many', { limit });
      this.#isFullLogged = true;
      throw new ApiError('too_many_live_connections', { limit, retryAfterS });
    }
    return this.#stream(request);
  }

  async *#stream({
    lastEventId,
    signal,
    groups,
    rights,
    isRelayed,
  }: LiveRequest): AsyncGenerator<string, void, undefined> {
    // It counts from here: a stream that is never read (HEAD) takes no place. Others may have connected since it was accepted.
    if (this.#exceeded(groups) !== undefined) return;
    const reader = new LiveReader(rights, this.#options.limits);
    const end = () => reader.end();
    signal.addEventListener('abort', end);
    if (signal.aborted || this.#stopped) end();
    this.#connected.add(reader);
    if (isRelayed) this.#relayed.add(reader);
    for (const { key } of groups) this.#ofGroup.set(key, this.#countOf(key) + 1);
    try {
      if (!this.#resume(reader, lastEventId)) this.#beginWithSnapshot(reader);
      yield preamble;
      for (let text = await reader.next(); text !== undefined; text = await reader.next()) yield text;
    } finally {
      signal.removeEventListener('abort', end);
      this.#connected.delete(reader);
      this.#relayed.delete(reader);
      for (const { key } of groups) this.#leave(key);
      this.#subscribed.delete(reader);
      if (this.#connected.size === 0) this.#isFullLogged = false;
    }
  }

  /** The limit that one more connection would exceed. */
  #exceeded(groups: readonly LiveGroup[]): number | undefined {
    if (this.#connected.size >= this.#connectionLimit) return this.#connectionLimit;
    return groups.find(({ key, limit }) => this.#countOf(key) >= limit)?.limit;
  }

  #countOf(key: string): number {
    return this.#ofGroup.get(key) ?? 0;
  }

  #leave(key: string): void {
    const left = this.#countOf(key) - 1;
    if (left === 0) this.#ofGroup.delete(key);
    else this.#ofGroup.set(key, left);
  }

  get #connectionLimit(): number {
    return this.#options.connections ?? leaderSettings.liveConnections.absent;
  }

  #resume(reader: LiveReader, lastEventId: string | undefined): boolean {
    const sequence = lastEventId === undefined ? undefined : sequenceOf(this.#options.run, lastEventId);
    if (sequence === undefined) return false;
    const missed = this.#recent.after(sequence, this.#sequence);
    if (!missed) return false;
    if (this.#relayed.has(reader)) {
      const seen = missed.filter((event) => reader.maySee(event)).map(({ text }) => text);
      reader.begin(`${seen.join('')}${this.#position(reader, this.#sequence)}`);
      return true;
    }
    for (const event of missed) reader.add(event);
    this.#subscribed.add(reader);
    reader.begin();
    return true;
  }

  /** Readers that arrive while a snapshot is being read share it, until its moment has passed. */
  #beginWithSnapshot(reader: LiveReader): void {
    if (this.#runningSnapshot?.marked === false) {
      this.#runningSnapshot.readers.push(reader);
      return;
    }
    const shared: SharedSnapshot = { readers: [reader], marked: false };
    this.#runningSnapshot = shared;
    this.#readSnapshot(shared).catch((error) => this.#failSnapshot(shared, error));
  }

  async #readSnapshot(shared: SharedSnapshot): Promise<void> {
    let sequence = this.#sequence;
    const snapshot = await this.#options.snapshot(() => {
      sequence = this.#sequence;
      shared.marked = true;
      for (const reader of shared.readers)
        if (this.#connected.has(reader) && !this.#relayed.has(reader)) this.#subscribed.add(reader);
    });
    if (!shared.marked) throw new Error('The source of the snapshot has not marked its moment.');
    const id = eventId(this.#options.run, sequence);
    // Readers with the same permissions share the text.
    const texts = new Map<string, string>();
    for (const reader of shared.readers) {
      const key = [...reader.permissions].sort().join(' ');
      const text = texts.get(key) ?? eventText(id, 'snapshot', visibleSnapshot(snapshot, reader.permissions));
      texts.set(key, text);
      reader.begin(this.#relayed.has(reader) ? `${text}${this.#position(reader, sequence)}` : text);
    }
  }

  #position({ permissions }: LiveReader, sequence: number): string {
    return positionText({ after: eventId(this.#options.run, sequence), permissions: [...permissions] });
  }

  /** They connect again, and receive all events from here if nothing can be broadcast. */
  #endRelayed(): void {
    for (const reader of this.#relayed) reader.end();
    this.#relayed.clear();
  }

  /** Closes the connections that wait for it: they reconnect. */
  #failSnapshot(shared: SharedSnapshot, error: unknown): void {
    shared.marked = true;
    this.#options.log.error('the snapshot for live connections could not be read', { error });
    for (const reader of shared.readers) reader.end();
  }
}
