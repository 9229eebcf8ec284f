import { ApiError, hourMs, minuteMs } from '@lcs/contract';
import type { Clock } from '@lcs/platform';

/** Failures of one name or address before the first delay. */
const freeFailures = 5;
const longestDelayMs = 15 * minuteMs;
/** Failures count for this long. */
const memoryMs = hourMs;
/** Names and addresses that are remembered; the oldest is forgotten first. */
const limit = 10_000;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** 1 s after the fifth failure, then twice as long after each further one, up to 15 minutes. */
const delayMs = (count: number): number =>
  count < freeFailures ? 0 : Math.min(longestDelayMs, 1000 * 2 ** (count - freeFailures));

/**
 * Delays sign-ins after failures, for each name and for each address. A name that nobody has is delayed as well, so that a delay does not
 * show which names exist.
 */
export class SignInAttempts {
  readonly #wire: Pick<Clock, 'monotonic'>;
  readonly #failures = new Map<string, Failures>();

  constructor(wire: Pick<Clock, 'monotonic'>) {
    this.#wire = wire;
  }

  /** @throws ApiError sign_in_delayed */
  check(name: string, address: string): void {
    const now = this.#wire.monotonic();
    const waitMs = Math.max(...this.#keys(name, address).map((key) => this.#untilMs(key) - now));
    if (waitMs > 0) throw new ApiError('sign_in_delayed', { retryAfterS: Math.ceil(waitMs / 1000) });
  }

  failed(name: string, address: string): void {
    for (const key of this.#keys(name, address)) {
      const count = (this.#recent(key)?.count ?? 0) + 1;
      this.#failures.delete(key);
      this.#failures.set(key, { count, lastMs: this.#wire.monotonic() });
    }
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= limit) break;
      this.#failures.delete(oldest);
    }
  }

  /** Failures of the address stay: somebody may try many names and succeed with one. */
  succeeded(name: string): void {
    this.#failures.delete(nameKey(name));
  }

  #keys = (name: string, address: string): readonly string[] => [nameKey(name), `address ${address}`];

  #recent(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    return failures !== undefined && this.#wire.monotonic() - failures.lastMs < memoryMs ? failures : undefined;
  }

  #untilMs(key: string): number {
    const failures = this.#recent(key);
    return failures === undefined ? 0 : failures.lastMs + delayMs(failures.count);
  }
}

const nameKey = (name: string): string => `name ${name.toLowerCase()}`;
