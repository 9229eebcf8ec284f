import type { SampleFlag } from '@lcs/contract';

/** Title and meaning of a flag of readings. */
export interface FlagDescription {
  readonly title: string;
  readonly meaning: string;
}

/** The descriptions of all flags. A flag does not change the value: the consumer of the values decides. */
export const flagDescriptions: { readonly [Flag in SampleFlag]: FlagDescription } = {
  saturated: { title: 'Saturated', meaning: 'The sensor was at its limit: the true value is larger.' },
  led_failing: {
    title: 'Light failing',
    meaning: 'The infrared LED is much darker or brighter than at the start.',
  },
  vial_out: { title: 'Vial out', meaning: 'The signal is that of an empty vial holder.' },
  bubbles: { title: 'Bubbles', meaning: 'The signal scatters far more than usual, which indicates bubbles.' },
  no_stir_bar: {
    title: 'No stir bar',
    meaning: 'The signal falls like that of settling cells: the stir bar may be missing or stuck.',
  },
  bar_loose: { title: 'Bar loose', meaning: 'The stir bar does not follow the motor.' },
  sensor_doubtful: {
    title: 'Sensor doubtful',
    meaning: 'The sensor does not respond like a sensor at the liquid: it may be loose or stuck.',
  },
  reference_unstable: {
    title: 'Reference unstable',
    meaning: 'The reference photodiode is not stable, and changes the values.',
  },
  out_of_range: {
    title: 'Out of range',
    meaning: 'The value is outside the recorded range of the calibration and limited to it.',
  },
  outlier: { title: 'Outlier', meaning: 'The value differs from neighbouring readings and is down-weighted.' },
  dose_unseen: {
    title: 'Dose not seen',
    meaning: 'The OD did not change as the announced dose would: the dose did not arrive. The growth rate ignores it.',
  },
  rate_beyond_model: {
    title: 'Rate beyond the model',
    meaning: 'No known culture grows or dies this fast: the signal has another cause.',
  },
  corrected: { title: 'Corrected', meaning: 'The value was corrected afterwards.' },
  moved: { title: 'Moved', meaning: 'The time of the reading was shifted slightly.' },
  simulated: { title: 'Simulated', meaning: 'The reading comes from a simulated board.' },
};
