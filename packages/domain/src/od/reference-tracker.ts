import { exponentialAverage } from './exponential-average.ts';

/**
 * How the reference photodiode is used: `unity` divides by the brightness relative to the experiment's first reading, so that
 * readings stay in volts; `classic` divides by the reference's volts.
 */
export type ReferenceNormalization = 'unity' | 'classic';

export interface ReferenceParameters {
  readonly normalization: ReferenceNormalization;
  /** 0 to below 1: weight of the past in the tracked brightness. */
  readonly pastWeight: number;
  readonly intervalS: number;
}

/** Plain data; keep it per experiment, so that a restart does not change the scale. */
export interface ReferenceState {
  readonly initialV: number | null;
  readonly brightness: number | null;
  readonly baseline: number | null;
  /** Average square of the deviation of the reference from its baseline. */
  readonly power: number;
}

export interface ReferenceStep {
  readonly state: ReferenceState;
  /** The divisor of the signals. */
  readonly brightness: number;
  /** The reference changed more than an LED does: the brightness is held, and jobs must not act on readings of this time. */
  readonly unstable: boolean;
}

/** The reference photodiode is dark: no LED, no diode, or a wrong channel. */
export class ReferenceDarkError extends Error {
  constructor(volts: number) {
    super(
      `The reference photodiode reads ${volts} V: the LED is off, or the channel is not that of the reference. Check the LED and the setting of the reference channel.`,
    );
    this.name = 'ReferenceDarkError';
  }
}

/** Initial relative deviation of the reference: that of an LED without fault. Chosen. */
const initialDeviation = 0.001;

export const initialReferenceState: ReferenceState = {
  initialV: null,
  brightness: null,
  baseline: null,
  power: initialDeviation ** 2,
};

/** Maximum relative deviation: for readings five seconds apart, times the root of the interval, as drift grows. Chosen. */
const maxDeviation = (intervalS: number): number => 0.025 * Math.sqrt(intervalS / 5);

/** Updates the LED's brightness with one more reference voltage. @throws ReferenceDarkError at 0 V and below */
export function trackReference(
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
  if (known !== null && Math.sqrt(power) > maxDeviation(parameters.intervalS)) {
    return {
      state: { initialV, brightness: known, baseline: null, power: initialDeviation ** 2 },
      brightness: known,
      unstable: true,
    };
  }
  const measured = parameters.normalization === 'unity' ? relative : referenceV;
  const brightness = exponentialAverage(parameters.pastWeight, known, measured);
  const baseline = exponentialAverage(0.8, state.baseline, relative);
  return { state: { initialV, brightness, baseline, power }, brightness, unstable: false };
}
