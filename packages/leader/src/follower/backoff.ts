/** Waiting times that double up to a limit, each with jitter, so that many followers do not retry at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  readonly #random: () => number;
  #failures = 0;

  /** `random` returns numbers from 0 to 1. */
  constructor(firstMs: number, mostMs: number, random: () => number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  /** The next wait in milliseconds, up to 20 % above or below the exact doubling. */
  next(): number {
    const plainMs = Math.min(this.#mostMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return plainMs * (0.8 + 0.4 * this.#random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
