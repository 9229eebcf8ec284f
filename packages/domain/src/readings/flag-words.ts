import type { SampleFlag } from '@lcs/contract';

/** What a flag of readings is called, and what it means for whoever reads the values. */
export interface FlagWords {
  readonly title: string;
  readonly meaning: string;
}

/** What flags of readings are called. None of them changes a value: whoever reads it decides. */
export const flagWords: { readonly [Flag in SampleFlag]: FlagWords } = {
  saturated: { title: 'Saturated', meaning: 'The sensor was at its limit: the true value is larger.' },
  led_failing: {
    title: 'Light failing',
    meaning: 'The infrared LED is much darker or brighter than at the beginning.',
  },
  vial_out: { title: 'Vial out', meaning: 'The signal is as if there were no vial in the holder.' },
  bubbles: { title: 'Bubbles', meaning: 'The signal scatters far more than usual, as bubbles do.' },
  no_stir_bar: {
    title: 'No stir bar',
    meaning: 'The signal falls as if cells settled: the stir bar may be missing or stuck.',
  },
  bar_loose: { title: 'Bar loose', meaning: 'The stir bar does not follow the motor.' },
  sensor_doubtful: {
    title: 'Sensor doubtful',
    meaning: 'The sensor does not behave as one at the liquid does: it may be loose or stuck.',
  },
  reference_unstable: {
    title: 'Reference unstable',
    meaning: 'The reference photodiode wanders, and the values with it.',
  },
  out_of_range: {
    title: 'Out of range',
    meaning: 'Beyond what the calibration recorded: the nearest value is given.',
  },
  outlier: { title: 'Outlier', meaning: 'Far from what its neighbours say; it counts less.' },
  corrected: { title: 'Corrected', meaning: 'Its value was put right afterwards.' },
  moved: { title: 'Moved', meaning: 'It stands a little beside its own moment.' },
  simulated: { title: 'Simulated', meaning: 'It comes from a simulated board.' },
};
