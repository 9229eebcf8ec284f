import type { Clock } from '@lcs/platform';

/** A bucket of tokens: a message takes one, time adds some, up to the burst. */
interface Bucket {
  messages: number;
  atMs: number;
}

export interface MessageRateOptions {
  readonly wire: Pick<Clock, 'monotonic'>;
  readonly messagesPerSecond: number;
}

/** How many seconds of its rate a caller may send at once: after a restart of the broker a node publishes all its retained topics. */
const burstS = 10;
/** A caller that waits continues with this many messages at once, so that no timer is needed for each of them. */
const resumeWithS = 0.1;

/** Rates of messages by caller. A caller above its rate waits: nothing is lost, and others are served meanwhile. */
export class MessageRates {
  readonly #options: MessageRateOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: MessageRateOptions) {
    this.#options = options;
  }

  /** Counts one message; returns the milliseconds for which its caller must wait before the next one. */
  count(owner: string): number {
    const { messagesPerSecond: rate, wire } = this.#options;
    const now = wire.monotonic();
    const burst = rate * burstS;
    const bucket = this.#buckets.get(owner) ?? { messages: burst, atMs: now };
    bucket.messages = Math.min(burst, bucket.messages + ((now - bucket.atMs) / 1000) * rate) - 1;
    bucket.atMs = now;
    this.#buckets.set(owner, bucket);
    return bucket.messages >= 0 ? 0 : Math.ceil((resumeWithS - bucket.messages / rate) * 1000);
  }

  /** Forgets callers whose bucket is full again. */
  tidy(): void {
    const now = this.#options.wire.monotonic();
    for (const [owner, { atMs }] of this.#buckets) if (now - atMs > burstS * 1000) this.#buckets.delete(owner);
  }
}
