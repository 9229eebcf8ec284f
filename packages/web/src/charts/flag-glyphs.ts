import type { SampleFlag } from '@lcs/contract';

const triangle = 'M0 -5 L5 4 L-5 4 Z';
const circle = 'M5 0 A5 5 0 1 1 -5 0 A5 5 0 1 1 5 0 Z';
const square = 'M-4 -4 H4 V4 H-4 Z';
const diamond = 'M0 -6 L6 0 L0 6 L-6 0 Z';
const wedge = 'M-5 -4 H5 L0 5 Z';
const cross = 'M-2 -5 H2 V-2 H5 V2 H2 V5 H-2 V2 H-5 V-2 H-2 Z';

/** The outline of a flag's mark, in pixels around its reading. */
export const flagGlyphs: { readonly [Flag in SampleFlag]: string } = {
  saturated: triangle,
  led_failing: square,
  vial_out: diamond,
  bubbles: circle,
  no_stir_bar: wedge,
  bar_loose: wedge,
  dose_unseen: diamond,
  rate_beyond_model: triangle,
  sensor_doubtful: square,
  reference_unstable: diamond,
  out_of_range: triangle,
  outlier: cross,
  corrected: cross,
  moved: cross,
  simulated: circle,
};
