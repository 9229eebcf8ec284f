import type { SampleFlag } from '@lcs/contract';

/** Bits of `sample_flags.flags`. */
export const sampleFlags = {
  unsynced: 1,
  /** Stored at the next free millisecond, because another value has its own. */
  moved: 2,
  saturated: 4,
  outlier: 8,
  corrected: 16,
  simulated: 32,
  /** Beyond the range of the calibration: the nearest value is given. */
  out_of_range: 64,
  reference_unstable: 128,
  no_stir_bar: 256,
  bubbles: 512,
  vial_out: 1024,
  led_failing: 2048,
  bar_loose: 4096,
  sensor_doubtful: 8192,
  dose_unseen: 16384,
  rate_beyond_model: 32768,
} as const;

/** Flags of the signal's quality: they are shown with the readings. */
export const signalFlags: readonly SampleFlag[] = [
  'saturated',
  'outlier',
  'corrected',
  'out_of_range',
  'reference_unstable',
  'no_stir_bar',
  'bubbles',
  'vial_out',
  'led_failing',
  'bar_loose',
  'sensor_doubtful',
  'dose_unseen',
  'rate_beyond_model',
];
