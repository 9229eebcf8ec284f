/** One timer of the virtual clock. */
export interface VirtualTimer {
  /** On the monotonic scale. */
  dueMs: number;
  /** Position in the order of creation; decides between timers due at the same moment. */
  readonly order: number;
  readonly action: () => void;
  /** `null`: fires once. */
  readonly intervalMs: number | null;
  cancelled: boolean;
}

const isBefore = (a: VirtualTimer, b: VirtualTimer) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

/**
 * Timers by due time, then by creation: a binary heap, because a test over simulated weeks fires millions of them.
 * A cancelled timer stays inside until it reaches the top.
 */
export class TimerQueue {
  readonly #heap: VirtualTimer[] = [];

  add(timer: VirtualTimer): void {
    const heap = this.#heap;
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !isBefore(timer, parent)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = timer;
  }

  /** The next timer to fire, left in the queue; `undefined` when there is none. */
  peek(): VirtualTimer | undefined {
    let top = this.#heap[0];
    while (top?.cancelled) {
      this.#removeTop();
      top = this.#heap[0];
    }
    return top;
  }

  /** Takes the next timer to fire out of the queue. */
  take(): VirtualTimer | undefined {
    const top = this.peek();
    if (top !== undefined) this.#removeTop();
    return top;
  }

  /** How many timers will still fire (a repeating one counts once). */
  get size(): number {
    return this.#heap.filter((timer) => !timer.cancelled).length;
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const childIndex = this.#smallerChild(index);
      const child = heap[childIndex];
      if (child === undefined || !isBefore(child, last)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
  }

  #smallerChild(index: number): number {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
  }
}
