import { callPath, LiveSnapshot, LogEntry, leaderApi, ProblemError } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import { Value } from 'typebox/value';
import { readEvents } from './live-events.ts';

export interface LogFollowerOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** The newest entries that are wanted, oldest first; `most`: no more than so many. */
  readonly newest: (most: number) => Promise<readonly LogEntry[]>;
  readonly isWanted: (entry: LogEntry) => boolean;
  /** How many entries of the past are shown at the beginning. */
  readonly lines: number;
  readonly show: (entry: LogEntry) => void;
  /** Something about the following itself. */
  readonly remark: (text: string) => void;
}

const reconnectMs = 2_000;
/** The leader gives a sign of life every 15 s. */
const silenceMs = 45_000;
/** So many are asked for after a gap. */
const mostMissed = 1_000;
/** So many shown entries are remembered, so that none is shown twice. */
const mostRemembered = 5_000;

const keyOf = ({ timestamp, level, reactor_unit, experiment, source, task, message }: LogEntry): string =>
  JSON.stringify([timestamp, level, reactor_unit, experiment, source, task, message]);

/** Counts things; equal entries may be there several times. */
class Counts {
  readonly #counts = new Map<string, number>();

  constructor(keys: Iterable<string> = []) {
    for (const key of keys) this.add(key);
  }

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Whether there was one to take. */
  take(key: string): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
    return count > 0;
  }
}

/**
 * Shows each entry of the event log once, as they come. A leader that is away is waited for; what was written down meanwhile
 * is shown when it is back.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  #lastId: string | undefined;
  /** The leader's time at the first contact; what is older was asked for by number. */
  #since: string | undefined;
  #shown: string[] = [];
  /** Shown from a list; the stream may bring them again. */
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
          if (isAway) remark('the leader is back');
          isAway = false;
        });
      } catch (error) {
        if (signal.aborted) return;
        if (this.#since === undefined) throw error;
        const reason = error instanceof ProblemError ? error.body.cause : String(error);
        if (!isAway) remark(`the leader is away, waiting for it (${reason})`);
        isAway = true;
      }
      await clock.sleep(reconnectMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  /** One connection, to its end. @throws ProblemError */
  async #read(signal: AbortSignal, connected: () => void): Promise<void> {
    const url = `${this.#options.baseUrl}${callPath(leaderApi.followLive)}`;
    const silent = new AbortController();
    const limited = AbortSignal.any([signal, silent.signal]);
    try {
      const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
      const response = await fetch(url, { headers, signal: limited });
      if (!response.ok || response.body === null) throw new Error(`It answered ${response.status}.`);
      connected();
      for await (const { id, event, data } of readEvents(this.#watched(response.body, silent))) {
        if (event === 'snapshot') await this.#catchUp(JSON.parse(data));
        else if (event === 'log') this.#take(JSON.parse(data));
        this.#lastId = id ?? this.#lastId;
      }
    } catch (error) {
      if (signal.aborted || error instanceof ProblemError) throw error;
      throw ProblemError.noAnswer(url, error);
    }
  }

  async *#watched(body: AsyncIterable<Uint8Array>, silent: AbortController): AsyncGenerator<Uint8Array> {
    const giveUp = () => silent.abort(new Error(`It said nothing for ${silenceMs / 1000} s.`));
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

  /** A connection that begins anew: what came before it is in the list, and nowhere else. */
  async #catchUp(snapshot: unknown): Promise<void> {
    const { newest, lines, remark } = this.#options;
    const isFirst = this.#since === undefined;
    const entries = await newest(isFirst ? lines : mostMissed);
    const since = this.#since ?? (Value.Check(LiveSnapshot, snapshot) ? snapshot.server_time : '');
    this.#since = since;
    const known = new Counts(this.#shown);
    const missed = isFirst ? entries : entries.filter((entry) => entry.timestamp >= since && !known.take(keyOf(entry)));
    if (!isFirst && missed.length === mostMissed) remark(`more than ${mostMissed} entries came meanwhile`);
    this.#listed = new Counts();
    for (const entry of missed) {
      this.#show(entry);
      this.#listed.add(keyOf(entry));
    }
  }

  #take(entry: unknown): void {
    if (!Value.Check(LogEntry, entry) || !this.#options.isWanted(entry)) return;
    if (!this.#listed.take(keyOf(entry))) this.#show(entry);
  }

  #show(entry: LogEntry): void {
    this.#options.show(entry);
    this.#shown.push(keyOf(entry));
    if (this.#shown.length > 2 * mostRemembered) this.#shown = this.#shown.slice(-mostRemembered);
  }
}
