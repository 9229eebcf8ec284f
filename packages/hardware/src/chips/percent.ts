/** @throws RangeError when `percent` is not a number from 0 to 100: a mistake in our own code, never a user's. */
export function checkPercent(percent: number): number {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`A level must be 0 to 100 percent, not ${percent}.`);
  return percent;
}
