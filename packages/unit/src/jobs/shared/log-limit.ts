import type { Clock } from '@lcs/platform';

/** Limits how often an entry of the log is repeated. Entries with different keys are independent. */
export class LogLimit {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Whether the entry is due; if so, it counts as logged now. */
  isDue(key = ''): boolean {
    const nowMs = this.#clock.monotonic();
    if (nowMs - (this.#loggedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < this.#intervalMs) return false;
    this.#loggedAtMs.set(key, nowMs);
    return true;
  }

  /** The cause is over: the next entry is due at once. */
  reset(): void {
    this.#loggedAtMs.clear();
  }
}
