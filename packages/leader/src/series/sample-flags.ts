/** Bits of `sample_flags.flags`. */
export const sampleFlags = {
  unsynced: 1,
  /** Stands in the next free millisecond, because its own was taken by another value. */
  moved: 2,
  saturated: 4,
  outlier: 8,
  corrected: 16,
  simulated: 32,
} as const;
