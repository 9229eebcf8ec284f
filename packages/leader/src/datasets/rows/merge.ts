import type { Cursor } from './series-cursors.ts';

/** One of the lines that are merged. */
export interface MergedLine<Line> {
  readonly cursor: Cursor;
  readonly line: Line;
  /** Lines of a lower group come first as a whole. */
  readonly group: number;
  /** Decides between equal moments. */
  readonly rank: number;
}

/**
 * Goes through the values of all lines in the order of group, moment and rank. Each step gives the line whose cursor stands
 * at the value; nothing is kept but one batch of each line.
 */
export function* merged<Line>(
  lines: readonly MergedLine<Line>[],
  isDescending: boolean,
): Generator<MergedLine<Line>, void, undefined> {
  const byGroup = [...Map.groupBy(lines, ({ group }) => group)].sort(([a], [b]) => a - b);
  for (const [, ofGroup] of byGroup) yield* mergedGroup(ofGroup, isDescending);
}

function* mergedGroup<Line>(
  lines: readonly MergedLine<Line>[],
  isDescending: boolean,
): Generator<MergedLine<Line>, void, undefined> {
  const sign = isDescending ? -1 : 1;
  const comesBefore = (a: MergedLine<Line>, b: MergedLine<Line>): boolean => {
    const later = sign * (a.cursor.at - b.cursor.at);
    return later === 0 ? a.rank < b.rank : later < 0;
  };
  const heap: MergedLine<Line>[] = [];
  /** Lets the line at `index` sink to its place. */
  const sink = (index: number): void => {
    const line = heap[index];
    if (line === undefined) return;
    let hole = index;
    for (;;) {
      const left = 2 * hole + 1;
      const [first, second] = [heap[left], heap[left + 1]];
      if (first === undefined) break;
      const isSecond = second !== undefined && comesBefore(second, first);
      const child = isSecond ? second : first;
      if (!comesBefore(child, line)) break;
      heap[hole] = child;
      hole = isSecond ? left + 1 : left;
    }
    heap[hole] = line;
  };
  for (const line of lines) if (line.cursor.next()) heap.push(line);
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(index);
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield top;
    if (!top.cursor.next()) {
      const last = heap.pop();
      if (last === undefined || last === top) continue;
      heap[0] = last;
    }
    sink(0);
  }
}
