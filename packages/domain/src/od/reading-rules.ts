/** A photodiode's voltage relative to the limits of the input. */
export type InputLevel = 'fine' | 'near_limit' | 'over_limit';

/** Volts. The converter's inputs tolerate 3.3 V; above 3.0 V the response is not linear, above 3.2 V the reading must stop. */
const nearLimitV = 3.0;
const overLimitV = 3.2;

export const inputLevel = (volts: number): InputLevel =>
  volts > overLimitV ? 'over_limit' : volts > nearLimitV ? 'near_limit' : 'fine';

/**
 * Intensity of the infrared LED, %, at which the reference stays below 0.25 V and the signal can increase fiftyfold below 3 V;
 * from 50 to 85, two decimals. The voltages were measured at `testedIntensity`.
 */
export function recommendedIntensity(testedIntensity: number, referenceV: number, signalV: number): number {
  const byReference = referenceV > 0 ? (0.25 * testedIntensity) / referenceV : Number.POSITIVE_INFINITY;
  const bySignal = signalV > 0 ? ((3 / 50) * testedIntensity) / signalV : Number.POSITIVE_INFINITY;
  return Math.round(100 * Math.max(50, Math.min(85, byReference, bySignal))) / 100;
}

/** Smoothing of the ODs of one photodiode; plain data. */
export interface OdSmoothing {
  /** 0: none. */
  readonly penalizer: number;
  /** Seconds between two readings; null: single readings. */
  readonly intervalS: number | null;
}

/**
 * An OD smoothed towards the smoothed one before it (`null`: none): an exponential average with the weight
 * `penalizer / intervalS` of the past relative to 1 for the present, so that slower readings are smoothed less.
 * Reversible: od = (1 + w) · smoothed - w · previous.
 */
export function smoothOd({ penalizer, intervalS }: OdSmoothing, previous: number | null, od: number): number {
  if (previous === null || intervalS === null) return od;
  const weight = penalizer / intervalS;
  return (od + weight * previous) / (1 + weight);
}
