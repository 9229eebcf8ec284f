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

type Verdict = 'plausible' | 'implausible' | 'unclear';

/** Whether the OD fell as it must. `unclear`: the dose is too small to be seen in this noise, or nothing was measured. */
export const doseVerdict = (effect: DoseEffect): Verdict => verdictOf(isMeasured(effect) ? [effect] : []);

const isMeasured = ({ odBefore, odAfter, volumeMl, addedMl }: DoseEffect): boolean =>
  odBefore > 0 && odAfter > 0 && volumeMl > 0 && addedMl > 0;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Of several doses together: what they add up to grows faster than its noise. */
function verdictOf(effects: readonly DoseEffect[]): Verdict {
  const fall = sumOf(effects.map(({ volumeMl, addedMl }) => Math.log((volumeMl + addedMl) / volumeMl)));
  const noise = Math.sqrt(sumOf(effects.map((effect) => 2 * effect.noise ** 2)));
  if (effects.length === 0 || fall < clearDeviations * noise) return 'unclear';
  const seen = sumOf(
    effects.map(({ odBefore, odAfter, growthPerHour, hours }) => Math.log(odBefore / odAfter) + growthPerHour * hours),
  );
  return seen >= leastShare * fall ? 'plausible' : 'implausible';
}

/** So many in a row are no chance any more. Chosen. */
export const implausibleInARow = 3;

/** Doses that are too small to be seen alone are judged together, so many at most. Chosen. */
const mostTogether = 100;

/**
 * Counts doses that did not show: `true` when one makes the row full, once for each row. Those that are unclear alone count
 * as one as soon as they are clear together.
 */
export function implausibleRow(): (effect: DoseEffect) => boolean {
  let inARow = 0;
  let unclear: readonly DoseEffect[] = [];
  return (effect) => {
    if (!isMeasured(effect)) return false;
    const together = [...unclear, effect].slice(-mostTogether);
    const verdict = verdictOf(together);
    unclear = verdict === 'unclear' ? together : [];
    if (verdict === 'plausible') inARow = 0;
    if (verdict !== 'implausible') return false;
    inARow += 1;
    return inARow === implausibleInARow;
  };
}
