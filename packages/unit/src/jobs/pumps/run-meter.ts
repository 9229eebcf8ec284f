import type { Clock } from '@lcs/platform';

/** A guard that runs answers sooner. Chosen. */
const stalledFromMs = 100;

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

  /**
   * It was set to run for so long from now on. `lateMs`: how late the guard may have been to do that. A guard that stood still has not
   * ended the run before at its time: the pump was on until now.
   */
  set(forMs: number, lateMs = 0): void {
    this.off(lateMs);
    this.#hasRun = true;
    const nowMs = this.#clock.monotonic();
    this.#runs = { sinceMs: nowMs, untilMs: nowMs + forMs };
  }

  /** Switches it off by `command`. It is off when the guard has answered: one that stood still has let it run until then. */
  async offBy(command: () => Promise<void>): Promise<void> {
    const askedMs = this.#clock.monotonic();
    await command();
    this.off(this.#clock.monotonic() - askedMs);
  }

  /** It was switched off now, if the guard had not done so before; `lateMs` as for `set`. */
  off(lateMs = 0): void {
    if (this.#runs !== undefined && lateMs >= stalledFromMs)
      this.#runs = { ...this.#runs, untilMs: Math.max(this.#runs.untilMs, this.#clock.monotonic()) };
    this.#ranMs += this.#ofRun();
    this.#runs = undefined;
  }

  #ofRun(): number {
    if (this.#runs === undefined) return 0;
    return Math.max(0, Math.min(this.#clock.monotonic(), this.#runs.untilMs) - this.#runs.sinceMs);
  }
}
