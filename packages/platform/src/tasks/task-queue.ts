/** The facts of a task that the queue needs. */
export interface QueueEntry {
  readonly id: string;
  readonly locks: readonly string[];
  readonly lane: 'stop' | 'normal';
}

type State = 'reserved' | 'waiting' | 'running';

/**
 * Decides which task runs next. Entries are in order of arrival; one may run when no earlier one, waiting or running, needs one of its
 * locks, and a place is free. This single order excludes deadlocks. The stop lane never waits.
 */
export class TaskQueue {
  readonly #places: number;
  readonly #entries = new Map<string, { readonly entry: QueueEntry; state: State }>();
  #holds = 0;

  /** @param places how many tasks of the normal lane run at a time */
  constructor(places: number) {
    this.#places = places;
  }

  /** Whether an entry holds the lock or waits for it. */
  isBusy(lock: string): boolean {
    for (const { entry } of this.#entries.values()) if (entry.locks.includes(lock)) return true;
    return false;
  }

  /** Takes a lock for work that is not a task; returns its release function, or undefined when the lock is busy. */
  tryHold(lock: string): (() => void) | undefined {
    if (this.isBusy(lock)) return undefined;
    this.#holds += 1;
    const id = `hold ${this.#holds}`;
    this.#entries.set(id, { entry: { id, locks: [lock], lane: 'normal' }, state: 'reserved' });
    return () => this.remove(id);
  }

  /** Takes all locks of an entry for a later `add`; returns the busy lock if it cannot. */
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

  /** Releases the place and the locks of an entry in any state. */
  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** The entries that may run now, in order; they are now running. */
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
