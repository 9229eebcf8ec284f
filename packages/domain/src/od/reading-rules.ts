/** A photodiode's voltage relative to the limits of the input. */
export type InputLevel = 'fine' | 'near_limit' | 'over_limit';

/** Volts. The converter's inputs tolerate 3.3 V; above 3.0 V the response is not linear, above 3.2 V the reading must stop. */
const nearLimitV = 3.0;
const overLimitV = 3.2;

export const inputLevel = (volts: number): InputLevel =>
  volts > overLimitV ? 'over_limit' : volts > nearLimitV ? 'near_limit' : 'fine';

/** The voltage minus the dark voltage, at least 0. In volts, because the gains of the two may differ. */
export const subtractDark = (volts: number, darkV: number): number => Math.max(0, volts - darkV);

/**
 * Intensity of the infrared LED, %, at which the reference stays below 0.25 V and the signal can increase fiftyfold below 3 V;
 * from 50 to 85, two decimals. The voltages were measured at `testedIntensity`.
 */
export function recommendedIntensity(testedIntensity: number, referenceV: number, signalV: number): number {
  const byReference = referenceV > 0 ? (0.25 * testedIntensity) / referenceV : Number.POSITIVE_INFINITY;
  const bySignal = signalV > 0 ? ((3 / 50) * testedIntensity) / signalV : Number.POSITIVE_INFINITY;
  return Math.round(100 * Math.max(50, Math.min(85, byReference, bySignal))) / 100;
}

/**
 * Weight of the previous reading as a prior, in samples. `penalizer` is per sample and for readings one second apart, so that
 * the weight is smaller for slower readings.
 */
export const priorWeight = (penalizer: number, intervalS: number, samples: number): number =>
  intervalS > 0 ? (penalizer / intervalS) * samples : 0;
