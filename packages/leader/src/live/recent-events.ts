import type { LiveEvent } from './live-event.ts';

const usualCapacity = 2_048;
const usualCharacters = 4 * 1024 * 1024;

/** The last events of this run, for readers that reconnect. */
export class RecentEvents {
  readonly #capacity: number;
  readonly #maxCharacters: number;
  #events: LiveEvent[] = [];
  /** Index of the oldest kept event; earlier ones are removed when they are the larger half, not at each event. */
  #oldest = 0;
  #characters = 0;

  constructor(capacity = usualCapacity, maxCharacters = usualCharacters) {
    this.#capacity = capacity;
    this.#maxCharacters = maxCharacters;
  }

  add(event: LiveEvent): void {
    this.#events.push(event);
    this.#characters += event.text.length;
    while (this.#kept > this.#capacity || (this.#characters > this.#maxCharacters && this.#kept > 1)) {
      this.#characters -= this.#events[this.#oldest]?.text.length ?? 0;
      this.#oldest += 1;
    }
    if (this.#oldest * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  /** All events after `sequence`, or undefined when some of them were dropped (or it is not of this run). */
  after(sequence: number, newest: number): readonly LiveEvent[] | undefined {
    if (sequence > newest) return undefined;
    if (sequence === newest) return [];
    const first = this.#events[this.#oldest]?.sequence;
    if (first === undefined || sequence < first - 1) return undefined;
    return this.#events.slice(this.#oldest + (sequence - first + 1));
  }

  get #kept(): number {
    return this.#events.length - this.#oldest;
  }
}
