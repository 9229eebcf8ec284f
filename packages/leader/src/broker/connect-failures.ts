import { minuteMs } from '@lcs/contract';
import type { Clock } from '@lcs/platform';

/** Failures of one address before the first delay. */
const freeFailures = 5;
/** Shorter than the time within which a connection must send its CONNECT packet. */
const longestDelayMs = 8_000;
/** Failures count for this long after the last one. */
const memoryMs = 15 * minuteMs;
/** Addresses that are remembered; the oldest is forgotten first. */
const mostAddresses = 10_000;

/**
 * Delays the refusals of wrong accounts by address: after five, for 0.5 s, then twice as long after each further one. Right accounts are never
 * delayed: passwords of 256 bits cannot be guessed, and one faulty program must not keep the units of its machine away from the broker.
 */
export class ConnectFailures {
  readonly #wire: Pick<Clock, 'monotonic'>;
  readonly #failures = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(wire: Pick<Clock, 'monotonic'>) {
    this.#wire = wire;
  }

  /** Counts a failure; returns the milliseconds after which it may be answered. */
  delayMs(address: string): number {
    const now = this.#wire.monotonic();
    const before = this.#failures.get(address);
    const count = before !== undefined && now - before.atMs < memoryMs ? before.count + 1 : 1;
    this.#failures.delete(address);
    this.#failures.set(address, { count, atMs: now });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > mostAddresses && oldest !== undefined) this.#failures.delete(oldest);
    return count <= freeFailures ? 0 : Math.min(longestDelayMs, 500 * 2 ** (count - freeFailures - 1));
  }
}
