/**
 * Exponential average in which `pastWeight` (0 to below 1) is the share of what was known before; 0 means no smoothing.
 * Pass `null` for the first value.
 */
export const exponentialAverage = (pastWeight: number, previous: number | null, value: number): number =>
  previous === null ? value : pastWeight * previous + (1 - pastWeight) * value;
