import { ApiError } from '@lcs/contract';

/** At most one action within `windowMs`, counted from the last one. */
export class RateWindow {
  readonly #windowMs: number;
  readonly #now: () => number;
  #last = Number.NEGATIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(windowMs: number, now: () => number) {
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** @throws ApiError `too_soon` */
  check(): void {
    const leftMs = this.#last + this.#windowMs - this.#now();
    if (leftMs > 0) throw new ApiError('too_soon', { retryAfterS: Math.ceil(leftMs / 1000) });
  }

  /** Records the action. */
  take(): void {
    this.#last = this.#now();
  }
}
