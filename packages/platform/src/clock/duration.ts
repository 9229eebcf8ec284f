/** Refuses what no timer can mean (NaN, infinity); a delay that lies in the past is due at once. */
export function delayOf(delayMs: number): number {
  if (!Number.isFinite(delayMs))
    throw new RangeError(`A delay must be a finite number of milliseconds, not ${delayMs}.`);
  return Math.max(0, delayMs);
}

/** Refuses an interval that would repeat without end at one moment. */
export function intervalOf(intervalMs: number): number {
  if (!Number.isFinite(intervalMs) || intervalMs <= 0) {
    throw new RangeError(`An interval must be a positive number of milliseconds, not ${intervalMs}.`);
  }
  return intervalMs;
}
