/** Attributes of a value. */
export interface BusPosition {
  /** The value is old and was delivered late, after an outage: it may be drawn and stored, but not acted upon. */
  readonly backfill?: boolean;
}

export interface ListenOptions {
  /** Also receive late values. Automations never do. Default false. */
  readonly backfill?: boolean;
}

type Listener<Value> = (value: Value, key: string, mark: BusPosition) => void;

interface ListeningPart<Value> {
  readonly listener: Listener<Value>;
  /** Late values, too. */
  readonly takesLate: boolean;
  /** False when it has been removed. */
  isListening: boolean;
}

const onTime: BusPosition = {};

/**
 * One topic of the bus inside a node: a published value reaches all listeners at once, and the newest value per key remains readable. A
 * late value neither reaches automations nor replaces the newest value.
 */
export class BusTopic<Value> {
  readonly #latest = new Map<string, Value>();
  readonly #listeners = new Set<ListeningPart<Value>>();
  /** The same, as they are when a value is published; undefined after a change. */
  #present: readonly ListeningPart<Value>[] | undefined;

  publish(key: string, value: Value, mark: BusPosition = onTime): void {
    if (!mark.backfill) this.#latest.set(key, value);
    if (this.#listeners.size === 0) return;
    this.#present ??= [...this.#listeners];
    for (const part of this.#present) {
      // A listener that an earlier one has removed receives nothing.
      if (part.isListening && (part.takesLate || !mark.backfill)) part.listener(value, key, mark);
    }
  }

  /** The newest value of a key. */
  latest(key: string): Value | undefined {
    return this.#latest.get(key);
  }

  /** Deletes the newest value of a key whose source has ended. */
  forget(key: string): void {
    this.#latest.delete(key);
  }

  /** `listener` must not throw; the context of a job guarantees that. */
  listen(listener: Listener<Value>, options: ListenOptions = {}): () => void {
    // An object of its own: the same function can be added twice and removed once.
    const own = { listener, takesLate: options.backfill ?? false, isListening: true };
    this.#listeners.add(own);
    this.#present = undefined;
    return () => {
      own.isListening = false;
      this.#listeners.delete(own);
      this.#present = undefined;
    };
  }
}
