/** A line of a comparison; the numbers count from 1 and are those of its line in each text. */
export type DiffLine =
  | { readonly kind: 'same'; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: 'removed'; readonly text: string; readonly before: number }
  | { readonly kind: 'added'; readonly text: string; readonly after: number };

/** Cells of the table of common lines: 2 bytes each. Larger changes are shown as one replacement. */
const maxCells = 4_000_000;

/** Lengths of the longest common subsequences of all ends of two lists, row by row. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  return lengths;
}

/** The lines between a common beginning and a common end. */
function* changedLines(
  before: readonly string[],
  after: readonly string[],
  offset: number,
): Generator<DiffLine, void, undefined> {
  const isTooLarge = (before.length + 1) * (after.length + 1) > maxCells;
  const lengths = isTooLarge ? new Uint16Array() : commonLengths(before, after);
  const width = after.length + 1;
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const [removed, added] = [before[row], after[column]];
    if (!isTooLarge && removed !== undefined && removed === added) {
      yield { kind: 'same', text: removed, before: offset + row + 1, after: offset + column + 1 };
      row += 1;
      column += 1;
    } else if (removed !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      yield { kind: 'removed', text: removed, before: offset + row + 1 };
      row += 1;
    } else {
      yield { kind: 'added', text: added ?? '', after: offset + column + 1 };
      column += 1;
    }
  }
}

/** The lines of two texts: the common ones, and those that only one of them has. */
export function lineDiff(beforeText: string, afterText: string): readonly DiffLine[] {
  const before = beforeText.split('\n');
  const after = afterText.split('\n');
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (index: number, shift: number): DiffLine => ({
    kind: 'same',
    text: before[index] ?? '',
    before: index + 1,
    after: index + 1 + shift,
  });
  const middle = changedLines(before.slice(start, before.length - end), after.slice(start, after.length - end), start);
  return [
    ...before.slice(0, start).map((_, index) => same(index, 0)),
    ...middle,
    ...before
      .slice(before.length - end)
      .map((_, index) => same(before.length - end + index, after.length - before.length)),
  ];
}

/** Common lines that are shown around each change. */
const contextLines = 3;

/** The changes with the lines around them; each list is a connected part of the texts. Empty: the texts are equal. */
export function diffParts(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const parts: DiffLine[][] = [];
  let shownTo = -1;
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const from = Math.max(index - contextLines, shownTo + 1);
    const to = Math.min(index + contextLines, lines.length - 1);
    if (from > shownTo + 1 || parts.length === 0) parts.push([]);
    parts.at(-1)?.push(...lines.slice(from, to + 1));
    shownTo = to;
  }
  return parts;
}

/** How many lines were added and removed. */
export const diffCounts = (lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } => ({
  added: lines.filter(({ kind }) => kind === 'added').length,
  removed: lines.filter(({ kind }) => kind === 'removed').length,
});
