/** Bits of `sample_flags.flags`. */
export const sampleFlags = {
  unsynced: 1,
  /** Stands in the next free millisecond, because its own was taken by another value. */
  moved: 2,
  saturated: 4,
  outlier: 8,
  corrected: 16,
  simulated: 32,
  /** Beyond what the calibration recorded: the nearest value is given. */
  out_of_range: 64,
  reference_unstable: 128,
  no_stir_bar: 256,
  bubbles: 512,
  vial_out: 1024,
  led_failing: 2048,
  bar_loose: 4096,
  sensor_doubtful: 8192,
} as const;
