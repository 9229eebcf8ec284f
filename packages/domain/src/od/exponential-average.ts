/**
 * Exponential moving average; `pastWeight` (0 to below 1) is the weight of the previous average, 0 means no smoothing.
 * Pass `null` for the first value.
 */
export const exponentialAverage = (pastWeight: number, previous: number | null, value: number): number =>
  previous === null ? value : pastWeight * previous + (1 - pastWeight) * value;
