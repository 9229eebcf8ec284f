import { commentText, type LiveEvent } from './live-event.ts';

export interface BacklogLimits {
  /** Entries of the event log that wait for a slow reader; the oldest are dropped first. */
  readonly logEntries: number;
  /** Characters of all other events; beyond that the reader has to start again. */
  readonly characters: number;
  /** Other events that wait before those of one topic replace each other: a reader of fewer is not slow. */
  readonly burst: number;
}

export const usualBacklog: BacklogLimits = { logEntries: 500, characters: 4 * 1024 * 1024, burst: 256 };

/** The part of the characters that a burst may have: the rest is left for the newest event of each topic. */
const burstPart = 1 / 4;

/**
 * The events that one reader has not received yet. A fast reader gets every event, also those that come together; for a slow one only the newest of
 * each topic waits, so that its memory is bounded by the number of topics. Log entries do not replace each other: they wait in their order, the oldest
 * are dropped, and the reader receives their number.
 */
export class LiveBacklog {
  readonly #limits: BacklogLimits;
  /** By their sequence, in its order. */
  readonly #changes = new Map<number, LiveEvent>();
  /** The newest of each topic. */
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
    return this.#changes.size + this.#log.length;
  }

  add(event: LiveEvent): void {
    if (this.#overrun) return;
    if (event.name === 'log') this.#addLogEntry(event);
    else this.#addChange(event);
  }

  /** The next piece to send, in the order of the ids; undefined when there is nothing. */
  take(): string | undefined {
    if (this.#logDropped > 0) {
      const count = this.#logDropped;
      this.#logDropped = 0;
      return commentText(`${count} log entries dropped: this connection was behind`);
    }
    const [change] = this.#changes.values();
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

  #addChange(event: LiveEvent): void {
    const older = this.#newest.get(event.topic);
    if (older && this.#isBehind(event)) this.#forget(older);
    this.#changes.set(event.sequence, event);
    this.#newest.set(event.topic, event);
    this.#characters += event.text.length;
    if (this.#characters > this.#limits.characters) {
      this.#overrun = true;
      this.#changes.clear();
      this.#newest.clear();
      this.#log = [];
    }
  }

  #isBehind(event: LiveEvent): boolean {
    const { burst, characters } = this.#limits;
    return this.#changes.size >= burst || this.#characters + event.text.length > characters * burstPart;
  }

  #forget(event: LiveEvent): void {
    this.#changes.delete(event.sequence);
    if (this.#newest.get(event.topic) === event) this.#newest.delete(event.topic);
    this.#characters -= event.text.length;
  }
}
