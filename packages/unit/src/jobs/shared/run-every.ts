import type { Cancel, Clock } from '@lcs/platform';

/** Repeats a function on a fixed grid whose period may change. The owner must prevent overlaps. */
export class RunEvery {
  readonly #clock: Pick<Clock, 'after' | 'every' | 'monotonic'>;
  readonly #run: () => void | Promise<void>;
  #cancel: Cancel = () => {};
  #lastMs: number | undefined;

  constructor(clock: Pick<Clock, 'after' | 'every' | 'monotonic'>, run: () => void | Promise<void>) {
    this.#clock = clock;
    this.#run = run;
  }

  /** First after `firstMs`, from then on each `periodMs`. `sinceMs`: how long ago it ran, before this. */
  begin(periodMs: number, firstMs: number, sinceMs?: number): void {
    if (sinceMs !== undefined) this.#lastMs = this.#clock.monotonic() - sinceMs;
    this.#cancel();
    this.#cancel = this.#clock.after(firstMs, () => {
      this.#cancel = this.#clock.every(periodMs, () => this.#fire());
      return this.#fire();
    });
  }

  /** The next run comes so long after the last one; at once when that has passed, or nothing ran yet. */
  change(periodMs: number): void {
    const sinceMs = this.#lastMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - this.#lastMs;
    this.begin(periodMs, Math.max(0, periodMs - sinceMs));
  }

  #fire(): void | Promise<void> {
    this.#lastMs = this.#clock.monotonic();
    return this.#run();
  }
}
