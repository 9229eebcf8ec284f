import type { Clock } from '@lcs/platform';

/** Progress of a run. */
export interface RunMoment {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Total duration of its pauses, in milliseconds. */
  readonly pausedForMs: number;
  /** While it is paused: its own time, in milliseconds. */
  readonly pausedAfterMs: number | undefined;
}

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
  #woken = Promise.withResolvers<void>();

  constructor(clock: Clock, { startedAt, pausedForMs, pausedAfterMs }: RunMoment) {
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#pausedAfterMs = pausedAfterMs;
    this.#zeroMs = clock.monotonic() - Math.max(0, clock.now() - startedAt - pausedForMs);
  }

  get isPaused(): boolean {
    return this.#pausedAfterMs !== undefined;
  }

  get elapsedMs(): number {
    return this.#pausedAfterMs ?? this.#clock.monotonic() - this.#zeroMs;
  }

  /** Delays the remaining steps; `resume` ends it. */
  pause(): Pick<RunMoment, 'pausedForMs' | 'pausedAfterMs'> {
    this.#pausedAfterMs = this.elapsedMs;
    return this.#moment;
  }

  resume(): Pick<RunMoment, 'pausedForMs' | 'pausedAfterMs'> {
    this.#zeroMs = this.#clock.monotonic() - this.elapsedMs;
    this.#pausedAfterMs = undefined;
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
    return this.#moment;
  }

  /** When a step is due at present, in milliseconds since 1970. */
  dueAt(atMs: number): number {
    return Math.round(this.#clock.now() + atMs - this.elapsedMs);
  }

  /** Waits until the run's own time is `atMs`; false when the signal came first. */
  async reached(atMs: number, signal: AbortSignal): Promise<boolean> {
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const leftMs = atMs - this.elapsedMs;
        if (this.#pausedAfterMs !== undefined) await Promise.race([this.#woken.promise, aborted.promise]);
        else if (leftMs <= 0) return true;
        else await this.#sleep(leftMs, signal);
      }
      return false;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  get #moment(): Pick<RunMoment, 'pausedForMs' | 'pausedAfterMs'> {
    const pausedForMs = Math.max(0, this.#clock.now() - this.#startedAt - this.elapsedMs);
    return {
      pausedForMs,
      pausedAfterMs: this.#pausedAfterMs === undefined ? undefined : Math.round(this.#pausedAfterMs),
    };
  }

  async #sleep(forMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(forMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
