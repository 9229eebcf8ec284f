import type { Clock } from '@lcs/platform';

/** Progress of a run. */
export interface RunMoment {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Total duration of its pauses, less the time that was skipped, in milliseconds. */
  readonly pausedForMs: number;
  /** While it is paused: its own time, in milliseconds. */
  readonly pausedAfterMs: number | undefined;
}

/** The part of it that changes. */
export type RunPosition = Pick<RunMoment, 'pausedForMs' | 'pausedAfterMs'>;

/**
 * The own time of a run, in milliseconds since its start: it stops while the run is paused. Between restarts it does
 * not notice that the wall clock is set; after one the wall clock gives the elapsed time.
 */
export class RunTime {
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** Of the clock's monotonic time, when the run's own time was 0. */
  #zeroMs: number;
  #pausedAfterMs: number | undefined;
  /** Skipped in total. */
  #skippedMs: number;
  /** Aborted at each change. */
  #unchanged = new AbortController();

  constructor(clock: Clock, { startedAt, pausedForMs, pausedAfterMs }: RunMoment) {
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#pausedAfterMs = pausedAfterMs;
    this.#skippedMs = Math.max(0, -pausedForMs);
    this.#zeroMs = clock.monotonic() - Math.max(0, clock.now() - startedAt - pausedForMs);
  }

  get isPaused(): boolean {
    return this.#pausedAfterMs !== undefined;
  }

  get elapsedMs(): number {
    return this.#pausedAfterMs ?? this.#clock.monotonic() - this.#zeroMs;
  }

  /** To be stored. */
  get position(): RunPosition {
    return this.positionAt(this.elapsedMs);
  }

  /** The position after a jump to `toMs`. */
  positionAt(toMs: number): RunPosition {
    const skippedMs = this.#skippedMs + Math.max(0, toMs - this.elapsedMs);
    return {
      pausedForMs: Math.max(-skippedMs, this.#clock.now() - this.#startedAt - toMs),
      pausedAfterMs: this.#pausedAfterMs === undefined ? undefined : Math.round(toMs),
    };
  }

  /** Delays the remaining steps; `resume` ends it. */
  pause(): void {
    this.#pausedAfterMs = this.elapsedMs;
  }

  resume(): void {
    this.#zeroMs = this.#clock.monotonic() - this.elapsedMs;
    this.#pausedAfterMs = undefined;
    this.wake();
  }

  /** Continues at `toMs`; never goes back. */
  jump(toMs: number): void {
    const byMs = Math.max(0, toMs - this.elapsedMs);
    this.#skippedMs += byMs;
    this.#zeroMs -= byMs;
    if (this.#pausedAfterMs !== undefined) this.#pausedAfterMs += byMs;
    this.wake();
  }

  /** Ends all present waits for a time. */
  wake(): void {
    this.#unchanged.abort();
    this.#unchanged = new AbortController();
  }

  /** When a step is due at present, in milliseconds since 1970. */
  dueAt(atMs: number): number {
    return Math.round(this.#clock.now() + atMs - this.elapsedMs);
  }

  /** Waits until the run's own time is `atMs`. `changed`: a change came first; `ended`: the signal did. */
  async reached(atMs: number, signal: AbortSignal): Promise<'reached' | 'changed' | 'ended'> {
    const change = this.#unchanged.signal;
    const either = AbortSignal.any([signal, change]);
    while (!either.aborted) {
      const leftMs = atMs - this.elapsedMs;
      if (this.#pausedAfterMs !== undefined) await aborted(either);
      else if (leftMs <= 0) return 'reached';
      else await this.#sleep(leftMs, either);
    }
    return signal.aborted ? 'ended' : 'changed';
  }

  async #sleep(forMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(forMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
