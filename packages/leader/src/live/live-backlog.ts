import { commentText, type LiveEvent } from './live-event.ts';

export interface BacklogLimits {
  /** Entries of the event log that wait for a slow reader; the oldest are dropped first. */
  readonly logEntries: number;
  /** Characters of all other events; beyond that the reader has to start again. */
  readonly characters: number;
}

export const usualBacklog: BacklogLimits = { logEntries: 500, characters: 4 * 1024 * 1024 };

/**
 * The events that one reader has not received yet. A fast reader gets every event; for a slow one only the newest of each topic waits, so that
 * its memory is bounded by the number of topics. Log entries do not replace each other: they wait in their order, the oldest are dropped,
 * and the reader receives their number.
 */
export class LiveBacklog {
  readonly #limits: BacklogLimits;
  /** In the order of their sequence: a replaced event moves to the end. */
  readonly #newest = new Map<string, LiveEvent>();
  #characters = 0;
  #log: LiveEvent[] = [];
  #logDropped = 0;
  #overrun = false;

  constructor(limits: BacklogLimits) {
    this.#limits = limits;
  }

  /** The limits were exceeded: the backlog is empty and accepts no more. */
  get overrun(): boolean {
    return this.#overrun;
  }

  get size(): number {
    return this.#newest.size + this.#log.length;
  }

  add(event: LiveEvent): void {
    if (this.#overrun) return;
    if (event.name === 'log') this.#addLogEntry(event);
    else this.#replace(event);
  }

  /** The next piece to send, in the order of the ids; undefined when there is nothing. */
  take(): string | undefined {
    if (this.#logDropped > 0) {
      const count = this.#logDropped;
      this.#logDropped = 0;
      return commentText(`${count} log entries dropped: this connection was behind`);
    }
    const [change] = this.#newest.values();
    const [entry] = this.#log;
    if (change && (!entry || change.sequence < entry.sequence)) {
      this.#forget(change);
      return change.text;
    }
    return this.#log.shift()?.text;
  }

  #addLogEntry(event: LiveEvent): void {
    this.#log.push(event);
    if (this.#log.length > this.#limits.logEntries) {
      this.#log.shift();
      this.#logDropped += 1;
    }
  }

  #replace(event: LiveEvent): void {
    const older = this.#newest.get(event.topic);
    if (older) this.#forget(older);
    this.#newest.set(event.topic, event);
    this.#characters += event.text.length;
    if (this.#characters > this.#limits.characters) {
      this.#overrun = true;
      this.#newest.clear();
      this.#log = [];
    }
  }

  #forget(event: LiveEvent): void {
    this.#newest.delete(event.topic);
    this.#characters -= event.text.length;
  }
}
