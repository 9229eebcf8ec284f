/** What the queue has to know of a task. */
export interface QueueEntry {
  readonly id: string;
  readonly locks: readonly string[];
  readonly lane: 'stop' | 'normal';
}

type State = 'reserved' | 'waiting' | 'running';

/**
 * Who runs next. Entries stand in the order they came; one may run when nobody before it, waiting or running, wants one of
 * its locks, and a place is free. As all wait in that one order, several locks cannot dead-lock. The stop lane waits for
 * nothing.
 */
export class TaskQueue {
  readonly #places: number;
  readonly #entries = new Map<string, { readonly entry: QueueEntry; state: State }>();
  #holds = 0;

  /** @param places how many tasks of the normal lane run at a time */
  constructor(places: number) {
    this.#places = places;
  }

  /** Whether anyone holds the lock or waits for it. */
  isBusy(lock: string): boolean {
    for (const { entry } of this.#entries.values()) if (entry.locks.includes(lock)) return true;
    return false;
  }

  /** Takes a lock for something that is no task; undefined when it is busy. Call what it returns to give it back. */
  tryHold(lock: string): (() => void) | undefined {
    if (this.isBusy(lock)) return undefined;
    this.#holds += 1;
    const id = `hold ${this.#holds}`;
    this.#entries.set(id, { entry: { id, locks: [lock], lane: 'normal' }, state: 'reserved' });
    return () => this.remove(id);
  }

  /** Takes all locks of an entry now, for an `add` to come; the lock that is busy, when it cannot. */
  reserve(entry: QueueEntry): string | undefined {
    const busy = entry.locks.find((lock) => this.isBusy(lock));
    if (busy === undefined) this.#entries.set(entry.id, { entry, state: 'reserved' });
    return busy;
  }

  /** Puts an entry at the end, or lets a reserved one wait at its place. */
  add(entry: QueueEntry): void {
    const reserved = this.#entries.get(entry.id);
    if (reserved === undefined) this.#entries.set(entry.id, { entry, state: 'waiting' });
    else reserved.state = 'waiting';
  }

  /** Gives back the place and locks of an entry, whatever it was doing. */
  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** The entries that may run now, in order; from here on they count as running. */
  takeReady(): readonly string[] {
    const ready: string[] = [];
    const wanted = new Set<string>();
    let free = this.#places - this.#runningInPlaces();
    for (const waiting of this.#entries.values()) {
      const { id, locks, lane } = waiting.entry;
      const mayRun = lane === 'stop' || (free > 0 && locks.every((lock) => !wanted.has(lock)));
      if (waiting.state === 'waiting' && mayRun) {
        waiting.state = 'running';
        if (lane === 'normal') free -= 1;
        ready.push(id);
      }
      for (const lock of locks) wanted.add(lock);
    }
    return ready;
  }

  #runningInPlaces(): number {
    let running = 0;
    for (const { entry, state } of this.#entries.values())
      if (state === 'running' && entry.lane === 'normal') running += 1;
    return running;
  }
}
