/** What is told with a value. */
export interface BusMark {
  /** It is old news, made up for after an outage: it may be drawn and stored, never acted upon. */
  readonly backfill?: boolean;
}

export interface ListenOptions {
  /** Also hear old news. Automations never do. Default false. */
  readonly backfill?: boolean;
}

type Listener<Value> = (value: Value, key: string, mark: BusMark) => void;

/**
 * One topic of the bus inside a node: whoever publishes is heard by all listeners at once, and the newest value per key
 * stays readable. Old news neither reaches those who act nor replaces a newest value.
 */
export class BusTopic<Value> {
  readonly #latest = new Map<string, Value>();
  readonly #listeners = new Map<Listener<Value>, ListenOptions>();

  publish(key: string, value: Value, mark: BusMark = {}): void {
    if (!mark.backfill) this.#latest.set(key, value);
    if (this.#listeners.size === 0) return;
    for (const [listener, { backfill }] of [...this.#listeners]) {
      // One that was taken off by a listener before it hears nothing any more.
      if (this.#listeners.has(listener) && (backfill || !mark.backfill)) listener(value, key, mark);
    }
  }

  /** The newest value of a key. */
  latest(key: string): Value | undefined {
    return this.#latest.get(key);
  }

  /** Forgets the newest value of a key: its source is gone. */
  forget(key: string): void {
    this.#latest.delete(key);
  }

  /** `listener` must not throw: jobs listen through their context, which sees to that. */
  listen(listener: Listener<Value>, options: ListenOptions = {}): () => void {
    // Wrapped, so that the same function may listen twice and be taken off once.
    const own: Listener<Value> = (value, key, mark) => listener(value, key, mark);
    this.#listeners.set(own, options);
    return () => this.#listeners.delete(own);
  }
}
