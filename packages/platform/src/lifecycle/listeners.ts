import type { Cancel } from '../clock/clock.ts';

/** The subscribers of one kind of event. An event has no memory: a listener receives what is published after it subscribed. */
export class Listeners<Value = void> {
  readonly #listeners = new Set<(value: Value) => void>();

  /** `listener` must not throw. The returned function ends the subscription. */
  add(listener: (value: Value) => void): Cancel {
    // Wrapped, so that a function that is added twice is called twice.
    const own = (value: Value): void => listener(value);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  publish(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
