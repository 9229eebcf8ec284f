import type { Model } from '@lcs/contract';

/** The pauses of the heater, during which the cooling curve of its board is sampled. */
export interface CoolingPlan {
  readonly samples: number;
  readonly spacingS: number;
  /** Seconds from the start of one pause to the start of the next. */
  readonly periodS: number;
}

/** The first 20 ml reactor has a slower sleeve and needs longer pauses. */
const longPlan: CoolingPlan = { samples: 29, spacingS: 5, periodS: 225 };
const defaultPlan: CoolingPlan = { samples: 21, spacingS: 5, periodS: 200 };

export const coolingPlan = (model: Pick<Model, 'model_name' | 'model_version'>): CoolingPlan =>
  model.model_name === 'reactor_20ml' && model.model_version === '1.0' ? longPlan : defaultPlan;

/** Weights of the linear regression from a cooling curve to the temperature of the liquid. */
interface Weights {
  readonly constant: number;
  readonly end: number;
  /** Of the fall from the middle to the end of the curve. */
  readonly fall: number;
  /** Of the fall from the start to the middle of the curve. */
  readonly drop: number;
  readonly duty: number;
}

/**
 * Least squares over simulated cooling curves of 300 units of our vial model (constants spread by 8 %, 8 to 18 ml, duties
 * from 2 to 80 %): on 300 others the deviation was 0.34 °C (usual) and 0.25 °C (long). Not fitted to real vials yet.
 */
const defaultWeights: Weights = { constant: -1.9315, end: 1.0925, fall: 0.2956, drop: 0.006, duty: -0.0385 };
const longWeights: Weights = { constant: -1.499, end: 1.0709, fall: -0.0517, drop: -0.0015, duty: -0.0276 };

/** The estimate and its standard deviation. */
export interface LiquidTemperature {
  readonly celsius: number;
  readonly deviationC: number;
}

/** Too few samples to estimate the temperature of the liquid. */
export class TooFewSamplesError extends Error {
  constructor(samples: number) {
    super(`The estimate of the liquid temperature must have at least ${fewestSamples} samples, not ${samples}.`);
    this.name = 'TooFewSamplesError';
  }
}

const fewestSamples = 15;

/** Deviation of a real vial without a probe comparison; the worst simulated vial deviated by 1.4 °C. */
const untrimmedDeviationC = 1.5;
const restingDeviationC = 0.3;

/**
 * Estimates the temperature of the liquid from the board's temperatures (°C) every five seconds after the heater was switched off
 * from `duty` (%). If the heater was off before, the result is the last sample. `trimC`: the probe's temperature minus the estimate.
 * @throws TooFewSamplesError
 */
export function liquidTemperature(samples: readonly number[], duty: number, trimC = 0): LiquidTemperature {
  const last = samples.at(-1);
  if (last !== undefined && duty === 0) return { celsius: rounded(last), deviationC: restingDeviationC };
  if (samples.length < fewestSamples) throw new TooFewSamplesError(samples.length);
  const end = mean(samples.slice(-3));
  const middle = mean(samples.slice(8, 11));
  const start = mean(samples.slice(0, 1));
  const weights = samples.length > 25 ? longWeights : defaultWeights;
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
