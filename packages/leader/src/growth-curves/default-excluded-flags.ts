import type { SampleFlag } from '@lcs/contract';
import { sampleFlags } from '../series/sample-flags.ts';

/** Readings with these flags do not describe the culture. */
export const defaultExcludedFlags: readonly SampleFlag[] = [
  'saturated',
  'outlier',
  'out_of_range',
  'bubbles',
  'vial_out',
  'led_failing',
  'sensor_doubtful',
];

export const bitsOfFlags = (flags: readonly SampleFlag[]): number =>
  flags.reduce((bits, flag) => bits | sampleFlags[flag], 0);
