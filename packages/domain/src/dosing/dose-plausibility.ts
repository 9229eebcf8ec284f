/** Optical density around a dose, of any one signal. */
export interface DoseEffect {
  readonly odBefore: number;
  readonly odAfter: number;
  /** Volume when the dose began, and what was added, ml. */
  readonly volumeMl: number;
  readonly addedMl: number;
  /** Growth meanwhile, per hour; what is not known is 0. */
  readonly growthPerHour: number;
  readonly hours: number;
  /** Standard deviation of one signal value, relative to it. */
  readonly noise: number;
}

/** The OD that a dose must leave, as a share of that before it: fresh medium thins, growth thickens. */
export const expectedOdRatio = ({
  volumeMl,
  addedMl,
  growthPerHour,
  hours,
}: Omit<DoseEffect, 'odBefore' | 'odAfter' | 'noise'>) =>
  (volumeMl / (volumeMl + addedMl)) * Math.exp(growthPerHour * hours);

/** A fall that is less than this many deviations of the noise says nothing. Chosen. */
const clearDeviations = 4;
/** At least this share of the expected fall must be seen. Chosen: a pump that is a third off is not called broken. */
const leastShare = 0.5;

/** Whether the OD fell as it must. `unclear`: the dose is too small to be seen in this noise, or nothing was measured. */
export function doseVerdict(effect: DoseEffect): 'plausible' | 'implausible' | 'unclear' {
  const { odBefore, odAfter, volumeMl, addedMl, noise, growthPerHour, hours } = effect;
  if (!(odBefore > 0) || !(odAfter > 0) || !(volumeMl > 0) || !(addedMl > 0)) return 'unclear';
  const fall = Math.log((volumeMl + addedMl) / volumeMl);
  if (fall < clearDeviations * Math.SQRT2 * noise) return 'unclear';
  const seen = Math.log(odBefore / odAfter) + growthPerHour * hours;
  return seen >= leastShare * fall ? 'plausible' : 'implausible';
}

/** So many in a row are no chance any more. Chosen. */
export const implausibleInARow = 3;

/** Counts doses that did not show: `true` when one makes the row full, once for each row. */
export function implausibleRow(): (verdict: ReturnType<typeof doseVerdict>) => boolean {
  let inARow = 0;
  return (verdict) => {
    if (verdict === 'plausible') inARow = 0;
    if (verdict !== 'implausible') return false;
    inARow += 1;
    return inARow === implausibleInARow;
  };
}
