import { isIPv6 } from 'node:net';
import { ApiError, type Caller, type CallerKind } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';

/** A bucket of tokens (RFC 2697): this many requests at once, and this many per second on average. */
interface RequestRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Of the kinds of callers that are limited. Machines and the leader itself are not. */
export type RequestRates = { readonly [Kind in CallerKind]?: RequestRate };

/**
 * The web UI of a cluster with 100 units sends some 300 requests when all its pages are opened in turn, and a few per second later; an
 * anonymous caller loads the sign-in. The limits stop a program that runs wild, not people.
 */
export const usualRequestRates: RequestRates = {
  person: { burst: 3000, perSecond: 200 },
  token: { burst: 3000, perSecond: 200 },
  anonymous: { burst: 600, perSecond: 30 },
};

/** Callers that are remembered. A forgotten one starts with a full bucket, so only those unused for longest are forgotten. */
const mostCallers = 10_000;

/** An IPv4 address, or the /64 network of an IPv6 address: one machine may use all addresses of its network. */
export function addressGroup(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = (plain.split('%', 1)[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

/** Names a caller for limits: the session or token, otherwise the address. */
export const callerKey = ({ kind, id }: Pick<Caller, 'kind' | 'id'>, address: string): string =>
  `${kind} ${id || addressGroup(address)}`;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Limits the requests of each caller. In memory only: a stop never waits for it, because the server does not ask it about stops. */
export class RequestLimiter {
  readonly #rates: RequestRates;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rates: RequestRates, clock: Pick<Clock, 'monotonic'>) {
    this.#rates = rates;
    this.#clock = clock;
  }

  /** Counts one request. @throws ApiError too_many_requests */
  take(caller: Caller, address: string): void {
    const rate = this.#rates[caller.kind];
    if (rate === undefined) return;
    const key = callerKey(caller, address);
    const now = this.#clock.monotonic();
    const { tokens: left, atMs } = this.#buckets.get(key) ?? { tokens: rate.burst, atMs: now };
    const tokens = Math.min(rate.burst, left + ((now - atMs) / 1000) * rate.perSecond);
    // Deleted first, so that the map stays in the order of use.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, atMs: now });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= mostCallers) break;
      this.#buckets.delete(oldest);
    }
    if (tokens < 1)
      throw new ApiError('too_many_requests', { retryAfterS: Math.max(1, Math.ceil((1 - tokens) / rate.perSecond)) });
  }
}
