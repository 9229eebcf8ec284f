import { callPath, LiveSnapshot, LogEntry, leaderApi, ProblemError } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import { Value } from 'typebox/value';
import type { Connected } from './connect.ts';
import { readEvents } from './live-events.ts';

export interface LogFollowerOptions {
  readonly leader: Pick<Connected, 'baseUrl' | 'fetch'>;
  readonly clock: Clock;
  /** The newest matching entries, oldest first, at most `most`. */
  readonly newest: (most: number) => Promise<readonly LogEntry[]>;
  readonly isMatch: (entry: LogEntry) => boolean;
  /** Number of past entries that are shown first. */
  readonly lines: number;
  readonly show: (entry: LogEntry) => void;
  /** A message about the connection. */
  readonly remark: (text: string) => void;
}

const reconnectMs = 2_000;
/** The leader sends a keep-alive every 15 s. */
const silenceMs = 45_000;
/** Most entries that are requested after a gap. */
const maxMissed = 1_000;
/** Shown entries whose keys are stored, so that none is shown twice. */
const maxShownKeys = 5_000;

const keyOf = ({ timestamp, level, reactor_unit, experiment, source, task, message }: LogEntry): string =>
  JSON.stringify([timestamp, level, reactor_unit, experiment, source, task, message]);

/** A multiset: equal entries may occur several times. */
class Counts {
  readonly #counts = new Map<string, number>();

  constructor(keys: Iterable<string> = []) {
    for (const key of keys) this.add(key);
  }

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Removes one; whether there was one. */
  take(key: string): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
    return count > 0;
  }
}

/**
 * Shows each new entry of the event log once. It reconnects to a leader that is away, and then shows the entries that were
 * written meanwhile.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #lastId: string | undefined;
  /** The leader's time at the first connection; older entries are limited by number. */
  #since: string | undefined;
  #shown: string[] = [];
  /** Shown from a list; the stream may contain them again. */
  #listed = new Counts();

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** Until `signal` is aborted. @throws ProblemError when there is no leader to begin with */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, remark } = this.#options;
    let isAway = false;
    while (!signal.aborted) {
      try {
        await this.#read(signal, () => {
          if (isAway) remark('connected again');
          isAway = false;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (this.#since === undefined) throw error;
        const reason = error instanceof ProblemError ? error.body.cause : String(error);
        if (!isAway) remark(`the leader is not reachable, retrying (${reason})`);
        isAway = true;
      }
      await clock.sleep(reconnectMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** One connection, to its end. @throws ProblemError */
  async #read(signal: AbortSignal, connected: () => void): Promise<void> {
    const { leader } = this.#options;
    const path = callPath(leaderApi.followLive);
    const silence = new AbortController();
    const limited = AbortSignal.any([signal, silence.signal]);
    try {
      const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
      const response = await leader.fetch(path, { headers, signal: limited });
      if (!response.ok || response.body === null) throw new Error(`The leader returned ${response.status}.`);
      connected();
      for await (const { id, event, data } of readEvents(this.#watched(response.body, silence))) {
        if (event === 'snapshot') await this.#catchUp(JSON.parse(data));
        else if (event === 'log') this.#take(JSON.parse(data));
        this.#lastId = id ?? this.#lastId;
      }
    } catch (error) {
      if (signal.aborted || error instanceof ProblemError) throw error;
      throw ProblemError.noAnswer(leader.baseUrl + path, error);
    }
  }

  async *#watched(body: AsyncIterable<Uint8Array>, silence: AbortController): AsyncGenerator<Uint8Array> {
    const giveUp = () => silence.abort(new Error(`The leader sent nothing for ${silenceMs / 1000} s.`));
    let cancel = this.#options.clock.after(silenceMs, giveUp);
    try {
      for await (const chunk of body) {
        cancel();
        cancel = this.#options.clock.after(silenceMs, giveUp);
        yield chunk;
      }
    } finally {
      cancel();
    }
  }

  /** Start of a connection: only the list contains the entries from before it. */
  async #catchUp(snapshot: unknown): Promise<void> {
    const { newest, lines, remark } = this.#options;
    const isFirst = this.#since === undefined;
    const entries = await newest(isFirst ? lines : maxMissed);
    const since = this.#since ?? (Value.Check(LiveSnapshot, snapshot) ? snapshot.server_time : '');
    this.#since = since;
    const shownBefore = new Counts(this.#shown);
    const missed = isFirst
      ? entries
      : entries.filter((entry) => entry.timestamp >= since && !shownBefore.take(keyOf(entry)));
    if (!isFirst && missed.length === maxMissed) remark(`more than ${maxMissed} entries were written meanwhile`);
    this.#listed = new Counts();
    for (const entry of missed) {
      this.#show(entry);
      this.#listed.add(keyOf(entry));
    }
  }

  #take(entry: unknown): void {
    if (!Value.Check(LogEntry, entry) || !this.#options.isMatch(entry)) return;
    if (!this.#listed.take(keyOf(entry))) this.#show(entry);
  }

  #show(entry: LogEntry): void {
    this.#options.show(entry);
    this.#shown.push(keyOf(entry));
    if (this.#shown.length > 2 * maxShownKeys) this.#shown = this.#shown.slice(-maxShownKeys);
  }
}
