import { commentText, type LiveEvent } from './live-event.ts';

export interface BacklogLimits {
  /** Entries of the event log kept for a reader that is behind; the oldest go first. */
  readonly logEntries: number;
  /** Characters of all other events; beyond that the reader has to begin again. */
  readonly characters: number;
}

/**
 * What one reader has not taken yet. A reader that keeps up gets every event; for one that is behind only the newest of each
 * topic waits, so the memory it costs is bounded by what exists, not by how long it sleeps. Log entries do not replace each
 * other: they wait in the order of the log, the oldest are dropped, and the reader is told how many.
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

  /** More waited than the limits allow; what was kept is gone and nothing is kept any more. */
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
