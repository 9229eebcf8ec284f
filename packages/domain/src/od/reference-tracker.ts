import { exponentialAverage } from './exponential-average.ts';

/**
 * How the reference photodiode is used: `unity` relates the LED to how bright it was at the experiment's first reading,
 * so that readings stay volts; `classic` divides by the reference's volts.
 */
export type ReferenceNormalization = 'unity' | 'classic';

export interface ReferenceParameters {
  readonly normalization: ReferenceNormalization;
  /** 0 to below 1: share of the past in the tracked brightness. */
  readonly pastWeight: number;
  readonly intervalS: number;
}

/** Plain data; keep it per experiment, so that a restart does not change what 1 means. */
export interface ReferenceState {
  readonly initialV: number | null;
  readonly brightness: number | null;
  readonly baseline: number | null;
  /** Average square of how far the reference is from its baseline. */
  readonly power: number;
}

export interface ReferenceStep {
  readonly state: ReferenceState;
  /** What a signal is divided by. */
  readonly brightness: number;
  /** The reference moved more than an LED does: the brightness was not followed, and no reading of this time is safe to act on. */
  readonly unstable: boolean;
}

/** The reference photodiode is dark: no LED, no diode, or a wrong channel. */
export class ReferenceDarkError extends Error {
  constructor(volts: number) {
    super(`The reference photodiode reads ${volts} V: the LED is off, or the channel is not the reference.`);
    this.name = 'ReferenceDarkError';
  }
}

/** Relative deviation of a healthy LED that the guard starts from. Chosen. */
const seedDeviation = 0.001;

export const freshReference: ReferenceState = {
  initialV: null,
  brightness: null,
  baseline: null,
  power: seedDeviation ** 2,
};

/** Largest relative deviation at readings five seconds apart; grows with the root of the interval, as drift does. Chosen. */
const largestDeviation = (intervalS: number): number => 0.025 * Math.sqrt(intervalS / 5);

/** Follows the LED's brightness with one more reference voltage. Throws `ReferenceDarkError` at 0 V and below. */
export function followReference(
  state: ReferenceState,
  parameters: ReferenceParameters,
  referenceV: number,
): ReferenceStep {
  if (!(referenceV > 0)) throw new ReferenceDarkError(referenceV);
  const initialV = state.initialV ?? referenceV;
  const relative = referenceV / initialV;
  const residual = state.baseline === null ? 0 : relative - state.baseline;
  const power = exponentialAverage(0.95, state.power, residual ** 2);
  const known = state.brightness;
  if (known !== null && Math.sqrt(power) > largestDeviation(parameters.intervalS)) {
    return {
      state: { initialV, brightness: known, baseline: null, power: seedDeviation ** 2 },
      brightness: known,
      unstable: true,
    };
  }
  const measured = parameters.normalization === 'unity' ? relative : referenceV;
  const brightness = exponentialAverage(parameters.pastWeight, known, measured);
  const baseline = exponentialAverage(0.8, state.baseline, relative);
  return { state: { initialV, brightness, baseline, power }, brightness, unstable: false };
}
