/** @throws RangeError when `percent` is not a number from 0 to 100: a programming mistake, not an input error. */
export function checkPercent(percent: number): number {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`A level must be 0 to 100 percent, not ${percent}.`);
  return percent;
}
