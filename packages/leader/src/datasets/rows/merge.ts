/** The position in one of several lines of values. */
export interface Cursor {
  /** Moment of the current value, ms. */
  at: number;
  value: number;
  /** Goes to the next value; false when there is none. Call it before the first. */
  next(): boolean;
}

/** One of the merged lines. */
export interface MergedLine<Line> {
  readonly cursor: Cursor;
  readonly line: Line;
  /** Lines of a lower group come first, completely. */
  readonly group: number;
  /** Orders equal times. */
  readonly rank: number;
}

/** Lines of one group, ordered by the time and rank of their current values: a binary heap over numbers. */
class LineHeap<Line> {
  readonly #lines: readonly MergedLine<Line>[];
  readonly #sign: number;
  /** Time of each line's current value, negated when the order is descending. */
  readonly #keys: Float64Array;
  /** Indexes of lines that have a value, as a heap. */
  readonly #heap: Int32Array;
  #size = 0;

  constructor(lines: readonly MergedLine<Line>[], isDescending: boolean) {
    this.#lines = lines.toSorted((a, b) => a.rank - b.rank);
    this.#sign = isDescending ? -1 : 1;
    this.#keys = new Float64Array(lines.length);
    this.#heap = new Int32Array(lines.length);
    for (const [index, { cursor }] of this.#lines.entries()) {
      if (!cursor.next()) continue;
      this.#keys[index] = this.#sign * cursor.at;
      this.#heap[this.#size++] = index;
    }
    for (let place = (this.#size >> 1) - 1; place >= 0; place -= 1) this.#sink(place);
  }

  /** The line with the next value; undefined at the end. */
  get top(): MergedLine<Line> | undefined {
    return this.#size === 0 ? undefined : this.#lines[this.#heap[0] ?? 0];
  }

  /** Advances the cursor of the top line. */
  advance(): void {
    const index = this.#heap[0] ?? 0;
    const cursor = this.#lines[index]?.cursor;
    if (cursor?.next()) {
      this.#keys[index] = this.#sign * cursor.at;
    } else {
      this.#size -= 1;
      this.#heap[0] = this.#heap[this.#size] ?? 0;
    }
    this.#sink(0);
  }

  /** Moves the line at `place` down the heap until it is behind all lines before it. Lines are numbered by rank. */
  #sink(place: number): void {
    const [keys, heap, size] = [this.#keys, this.#heap, this.#size];
    const line = heap[place] ?? 0;
    const key = keys[line] ?? 0;
    let hole = place;
    for (let child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
      let first = heap[child] ?? 0;
      let firstKey = keys[first] ?? 0;
      if (child + 1 < size) {
        const second = heap[child + 1] ?? 0;
        const secondKey = keys[second] ?? 0;
        if (secondKey < firstKey || (secondKey === firstKey && second < first)) {
          child += 1;
          first = second;
          firstKey = secondKey;
        }
      }
      if (key < firstKey || (key === firstKey && line < first)) break;
      heap[hole] = first;
      hole = child;
    }
    heap[hole] = line;
  }
}

/** Lines of each group, in the order of the groups. */
const groupsOfLines = <Line>(lines: readonly MergedLine<Line>[]): (readonly MergedLine<Line>[])[] =>
  [...Map.groupBy(lines, ({ group }) => group)].sort(([a], [b]) => a - b).map(([, ofGroup]) => ofGroup);

/**
 * Steps through the values of all lines in the order of group, time and rank. Each step returns the line whose cursor is at the value;
 * only one batch of each line is in memory.
 */
export function* merged<Line>(
  lines: readonly MergedLine<Line>[],
  isDescending: boolean,
): Generator<MergedLine<Line>, void, undefined> {
  for (const ofGroup of groupsOfLines(lines)) {
    const heap = new LineHeap(ofGroup, isDescending);
    for (let top = heap.top; top !== undefined; top = heap.top) {
      yield top;
      heap.advance();
    }
  }
}

/** Values in order, all of one group. The arrays are reused for each block: read them before the next one. */
export interface MergedBlock<Line> {
  readonly length: number;
  readonly lines: readonly Line[];
  /** Times, ms. */
  readonly at: Float64Array;
  readonly values: Float64Array;
}

/** The same as `merged`, many values at a time. */
export function* mergedBlocks<Line>(
  lines: readonly MergedLine<Line>[],
  isDescending: boolean,
  size: number,
): Generator<MergedBlock<Line>, void, undefined> {
  const block = { lines: new Array<Line>(size), at: new Float64Array(size), values: new Float64Array(size) };
  for (const ofGroup of groupsOfLines(lines)) {
    const heap = new LineHeap(ofGroup, isDescending);
    let length = 0;
    for (let top = heap.top; top !== undefined; top = heap.top) {
      block.lines[length] = top.line;
      block.at[length] = top.cursor.at;
      block.values[length] = top.cursor.value;
      heap.advance();
      length += 1;
      if (length < size && heap.top !== undefined) continue;
      yield { ...block, length };
      length = 0;
    }
  }
}
