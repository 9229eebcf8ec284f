/** Multiple of the background's deviation above which a raw signal counts as that of the cells. Chosen. */
const clearOfBackground = 5;

/**
 * Relative standard deviation of a growth rate because of the background of a signal. A part of a signal without calibration and blank is not
 * from cells. The rate of the cells is that of the signal times signal / (signal - background); the background is known only by its
 * order of magnitude, `backgroundDeviation`. Far above it the rate is that of the signal by definition, so that the uncertainty fades.
 * 0 for a `backgroundDeviation` of 0.
 */
export function backgroundShare(od: number, backgroundDeviation: number): number {
  if (!(backgroundDeviation > 0)) return 0;
  const fading = 1 + (od / (clearOfBackground * backgroundDeviation)) ** 4;
  const ofCells = Math.max(backgroundDeviation, od - backgroundDeviation);
  return backgroundDeviation / (ofCells * fading);
}
