import type { Model } from '@lcs/contract';

/** How the heater's rests are laid out: while it is off, its board's cooling curve is sampled. */
export interface CoolingPlan {
  readonly samples: number;
  readonly spacingS: number;
  /** Seconds from one rest to the next, the rest included. */
  readonly periodS: number;
}

/** The first 20 ml reactor has a slower sleeve and needs a longer look. */
const longPlan: CoolingPlan = { samples: 29, spacingS: 5, periodS: 225 };
const usualPlan: CoolingPlan = { samples: 21, spacingS: 5, periodS: 200 };

export const coolingPlan = (model: Pick<Model, 'model_name' | 'model_version'>): CoolingPlan =>
  model.model_name === 'reactor_20ml' && model.model_version === '1.0' ? longPlan : usualPlan;

/** Weights of the line that leads from a cooling curve to the liquid. */
interface Weights {
  readonly constant: number;
  readonly end: number;
  /** Of what the curve still falls from its middle to its end. */
  readonly fall: number;
  /** Of what it fell from its start to its middle. */
  readonly drop: number;
  readonly duty: number;
}

/**
 * Least squares over simulated cooling curves of 300 units of our vial model (constants spread by 8 %, 8 to 18 ml, duties
 * from 2 to 80 %): on 300 others the deviation was 0.34 °C (usual) and 0.25 °C (long). Not fitted to real vials yet.
 */
const usualWeights: Weights = { constant: -1.9315, end: 1.0925, fall: 0.2956, drop: 0.006, duty: -0.0385 };
const longWeights: Weights = { constant: -1.499, end: 1.0709, fall: -0.0517, drop: -0.0015, duty: -0.0276 };

/** The estimate, and how far off it may be without a probe's trim. */
export interface LiquidTemperature {
  readonly celsius: number;
  readonly deviationC: number;
}

/** Too few samples to tell the liquid's temperature. */
export class TooFewSamplesError extends Error {
  constructor(samples: number) {
    super(`${samples} samples of the cooling heater are too few to tell the temperature of the liquid.`);
    this.name = 'TooFewSamplesError';
  }
}

const fewestSamples = 15;

/** What a real vial may differ by as long as no probe was compared; the worst simulated one differed by 1.4 °C. */
const untrimmedDeviationC = 1.5;
const restingDeviationC = 0.3;

/**
 * Temperature of the liquid from the heater board's temperatures (°C) while it cools, taken every five seconds since it
 * was switched off from `duty` (%). With a heater that was off the last sample is the answer. `trimC` is what a probe in
 * the vial showed more than the estimate. Throws `TooFewSamplesError`.
 */
export function liquidTemperature(samples: readonly number[], duty: number, trimC = 0): LiquidTemperature {
  const last = samples.at(-1);
  if (last !== undefined && duty === 0) return { celsius: rounded(last), deviationC: restingDeviationC };
  if (samples.length < fewestSamples) throw new TooFewSamplesError(samples.length);
  const end = mean(samples.slice(-3));
  const middle = mean(samples.slice(8, 11));
  const start = mean(samples.slice(0, 1));
  const weights = samples.length > 25 ? longWeights : usualWeights;
  const celsius =
    weights.constant +
    weights.end * end +
    weights.fall * (end - middle) +
    weights.drop * (middle - start) +
    weights.duty * duty;
  return { celsius: rounded(celsius + trimC), deviationC: untrimmedDeviationC };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Hundredths of a degree. */
const rounded = (celsius: number): number => Math.round(celsius * 100) / 100;
