/** So many of the lowest and as many of the highest do not count: bubbles and clumps. */
const leftOut = 2;

/** The mean of readings of medium without cells, extremes left out. NaN of none. */
export function blankMean(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const kept = sorted.length > 2 * leftOut ? sorted.slice(leftOut, -leftOut) : sorted;
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
