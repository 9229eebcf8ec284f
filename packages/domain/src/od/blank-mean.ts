/** This many of the lowest and of the highest readings are ignored: bubbles and clumps. */
const trimmedCount = 2;

/** The trimmed mean of readings of medium without cells. NaN for no readings. */
export function blankMean(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const kept = sorted.length > 2 * trimmedCount ? sorted.slice(trimmedCount, -trimmedCount) : sorted;
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}
