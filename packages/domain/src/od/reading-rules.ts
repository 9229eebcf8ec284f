/** What a photodiode's voltage says about the reading. */
export type InputLevel = 'fine' | 'near_limit' | 'over_limit';

/** Volts. The converter's inputs bear 3.3 V; above 3.0 V the diode's answer bends, above 3.2 V the reading has to stop. */
const nearLimitV = 3.0;
const overLimitV = 3.2;

export const inputLevel = (volts: number): InputLevel =>
  volts > overLimitV ? 'over_limit' : volts > nearLimitV ? 'near_limit' : 'fine';

/** Volts after subtracting what the photodiode shows in the dark, also volts: gains may differ between the two. Not below 0. */
export const withoutDark = (volts: number, darkV: number): number => Math.max(0, volts - darkV);

/**
 * Intensity of the infrared LED, %, that keeps the reference below a quarter of a volt and leaves the signal room to grow
 * fiftyfold below 3 V; from 50 to 85, two decimals. The voltages were measured at `testedIntensity`.
 */
export function suitableIntensity(testedIntensity: number, referenceV: number, signalV: number): number {
  const byReference = referenceV > 0 ? (0.25 * testedIntensity) / referenceV : Number.POSITIVE_INFINITY;
  const bySignal = signalV > 0 ? ((3 / 50) * testedIntensity) / signalV : Number.POSITIVE_INFINITY;
  return Math.round(100 * Math.max(50, Math.min(85, byReference, bySignal))) / 100;
}

/**
 * Samples that the reading before is worth as a prior: `penalizer` is per sample and for readings one second apart, so
 * that slower readings remember less.
 */
export const priorWeight = (penalizer: number, intervalS: number, samples: number): number =>
  intervalS > 0 ? (penalizer / intervalS) * samples : 0;
