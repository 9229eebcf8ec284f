/** Rejects NaN and infinity. A negative delay is due at once. */
export function checkedDelay(delayMs: number): number {
  if (!Number.isFinite(delayMs))
    throw new RangeError(`A delay must be a finite number of milliseconds, not ${delayMs}.`);
  return Math.max(0, delayMs);
}

/** Rejects an interval that would repeat forever at one time. */
export function checkedInterval(intervalMs: number): number {
  if (!Number.isFinite(intervalMs) || intervalMs <= 0) {
    throw new RangeError(`An interval must be a positive number of milliseconds, not ${intervalMs}.`);
  }
  return intervalMs;
}
