/**
 * A pause longer than this many usual intervals is a gap. Reduced series have the lowest and the highest reading of each
 * period, so that neighbours may be up to four mean intervals apart without a pause.
 */
const intervalsOfGap = 5;
/** How many intervals on each side define the usual interval. */
const neighbourhood = 8;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? Number.POSITIVE_INFINITY;
}

/** The usual interval between `begin` and `end`, over two steps: extremes of reduced series come in uneven pairs. */
function usualInterval(xs: readonly number[], begin: number, end: number): number | null {
  const spans: number[] = [];
  for (let index = Math.max(0, begin); index + 2 < Math.min(end, xs.length); index += 1) {
    spans.push(((xs[index + 2] ?? 0) - (xs[index] ?? 0)) / 2);
  }
  return spans.length === 0 ? null : median(spans);
}

/** The usual interval of a whole line, from a sample of its points. */
function usualIntervalOfLine(xs: readonly number[]): number | null {
  const sample = Math.max(1, Math.floor(xs.length / 400));
  const spans: number[] = [];
  for (let index = 0; index + 2 < xs.length; index += sample) spans.push(((xs[index + 2] ?? 0) - (xs[index] ?? 0)) / 2);
  return spans.length === 0 ? null : median(spans);
}

/** The longest interval of a line between two points that is no pause. */
export function longestInterval(xs: readonly number[]): number {
  const usual = usualIntervalOfLine(xs) ?? (xs[1] ?? 0) - (xs[0] ?? 0);
  return intervalsOfGap * usual;
}

/**
 * Places of the points after which there was no reading for longer than usual. Where the interval changes, the longer one
 * of both sides counts.
 */
function gapsAfter(xs: readonly number[]): readonly number[] {
  const usual = usualIntervalOfLine(xs);
  if (usual === null) return [];
  const gaps: number[] = [];
  for (let index = 0; index + 1 < xs.length; index += 1) {
    const pause = (xs[index + 1] ?? 0) - (xs[index] ?? 0);
    if (pause <= intervalsOfGap * usual) continue;
    const before = usualInterval(xs, index - neighbourhood, index + 1) ?? 0;
    const after = usualInterval(xs, index + 1, index + 2 + neighbourhood) ?? 0;
    const local = Math.max(before, after) || usual;
    if (pause > intervalsOfGap * local) gaps.push(index);
  }
  return gaps;
}

/** The moments at which a line is broken: in the middle of each gap. */
export const breaksOf = (xs: readonly number[]): readonly number[] =>
  gapsAfter(xs).map((index) => ((xs[index] ?? 0) + (xs[index + 1] ?? 0)) / 2);
