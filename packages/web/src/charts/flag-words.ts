import type { SampleFlag } from './flag-spans.ts';

interface FlagWords {
  readonly title: string;
  /** What it means for whoever reads the values. */
  readonly meaning: string;
  /** Outline of its mark, in pixels around its reading. */
  readonly glyph: string;
}

const triangle = 'M0 -5 L5 4 L-5 4 Z';
const circle = 'M5 0 A5 5 0 1 1 -5 0 A5 5 0 1 1 5 0 Z';
const square = 'M-4 -4 H4 V4 H-4 Z';
const diamond = 'M0 -6 L6 0 L0 6 L-6 0 Z';
const wedge = 'M-5 -4 H5 L0 5 Z';
const cross = 'M-2 -5 H2 V-2 H5 V2 H2 V5 H-2 V2 H-5 V-2 H-2 Z';

/** What flags of readings are called. None of them changes a value: whoever reads it decides. */
export const flagWords: { readonly [Flag in SampleFlag]: FlagWords } = {
  saturated: { title: 'Saturated', meaning: 'The sensor was at its limit: the true value is larger.', glyph: triangle },
  led_failing: {
    title: 'Light failing',
    meaning: 'The infrared LED is much darker or brighter than at the beginning.',
    glyph: square,
  },
  vial_out: { title: 'Vial out', meaning: 'The signal is as if there were no vial in the holder.', glyph: diamond },
  bubbles: { title: 'Bubbles', meaning: 'The signal scatters far more than usual, as bubbles do.', glyph: circle },
  no_stir_bar: {
    title: 'No stir bar',
    meaning: 'The signal falls as if cells settled: the stir bar may be missing or stuck.',
    glyph: wedge,
  },
  bar_loose: { title: 'Bar loose', meaning: 'The stir bar does not follow the motor.', glyph: wedge },
  sensor_doubtful: {
    title: 'Sensor doubtful',
    meaning: 'The sensor does not behave as one at the liquid does: it may be loose or stuck.',
    glyph: square,
  },
  reference_unstable: {
    title: 'Reference unstable',
    meaning: 'The reference photodiode wanders, and the values with it.',
    glyph: diamond,
  },
  out_of_range: {
    title: 'Out of range',
    meaning: 'Beyond what the calibration recorded: the nearest value is given.',
    glyph: triangle,
  },
  outlier: { title: 'Outlier', meaning: 'Far from what its neighbours say; it counts less.', glyph: cross },
  corrected: { title: 'Corrected', meaning: 'Its value was put right afterwards.', glyph: cross },
  moved: { title: 'Moved', meaning: 'It stands a little beside its own moment.', glyph: cross },
  simulated: { title: 'Simulated', meaning: 'It comes from a simulated board.', glyph: circle },
};
