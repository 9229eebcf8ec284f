import type { SampleFlag } from '@lcs/contract';

/** Readings with one of these flags are not those of a stirred culture: the growth filter does not use them. */
export const unusableForGrowth: readonly SampleFlag[] = [
  'saturated',
  'led_failing',
  'vial_out',
  'no_stir_bar',
  'reference_unstable',
  'out_of_range',
];

const unusable: ReadonlySet<string> = new Set(unusableForGrowth);

export const isUsableForGrowth = (flags: readonly string[]): boolean => !flags.some((flag) => unusable.has(flag));
