import type { Clock } from '@lcs/platform';

/** How long a pump has run, that the guard ends by itself when it is not set again in time. */
export class RunMeter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #ranMs = 0;
  #hasRun = false;
  #runs: { readonly sinceMs: number; readonly untilMs: number } | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Whether it has ever run: on the real clock a measured time is never exactly 0. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** Milliseconds so far. */
  get ranMs(): number {
    return this.#ranMs + this.#ofRun();
  }

  /** It was set to run for so long from now on. */
  set(forMs: number): void {
    this.off();
    this.#hasRun = true;
    const nowMs = this.#clock.monotonic();
    this.#runs = { sinceMs: nowMs, untilMs: nowMs + forMs };
  }

  /** It was switched off now, if the guard had not done so before. */
  off(): void {
    this.#ranMs += this.#ofRun();
    this.#runs = undefined;
  }

  #ofRun(): number {
    if (this.#runs === undefined) return 0;
    return Math.max(0, Math.min(this.#clock.monotonic(), this.#runs.untilMs) - this.#runs.sinceMs);
  }
}
