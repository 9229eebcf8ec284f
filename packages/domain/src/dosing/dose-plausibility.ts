/** Optical density before and after a dose, of one signal. */
export interface DoseEffect {
  readonly odBefore: number;
  readonly odAfter: number;
  /** Volume before the dose, and added volume, ml. */
  readonly volumeMl: number;
  readonly addedMl: number;
  /** Growth rate during the dose, per hour; 0 if unknown. */
  readonly growthPerHour: number;
  readonly hours: number;
  /** Standard deviation of one signal value, relative to it. */
  readonly noise: number;
}

/** The expected OD after a dose relative to the OD before it, with dilution and growth. */
export const expectedOdRatio = ({
  volumeMl,
  addedMl,
  growthPerHour,
  hours,
}: Omit<DoseEffect, 'odBefore' | 'odAfter' | 'noise'>) =>
  (volumeMl / (volumeMl + addedMl)) * Math.exp(growthPerHour * hours);

/** A decrease below this many standard deviations of the noise is not detectable. Chosen. */
const minDetectableDeviations = 4;
/** The observed decrease must be at least this share of the expected one. Chosen: a pump that is off by a third still passes. */
const minObservedShare = 0.5;

/** `unclear`: the dose is too small to detect in this noise, or there are no valid readings. */
type DosePlausibility = 'plausible' | 'implausible' | 'unclear';

/** Whether the OD decreased as expected. */
export const assessDose = (effect: DoseEffect): DosePlausibility => assessDoses(isMeasured(effect) ? [effect] : []);

const isMeasured = ({ odBefore, odAfter, volumeMl, addedMl }: DoseEffect): boolean =>
  odBefore > 0 && odAfter > 0 && volumeMl > 0 && addedMl > 0;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Assesses several doses together: their sum grows faster than its noise. */
function assessDoses(effects: readonly DoseEffect[]): DosePlausibility {
  const expected = sumOf(effects.map(({ volumeMl, addedMl }) => Math.log((volumeMl + addedMl) / volumeMl)));
  const noise = Math.sqrt(sumOf(effects.map((effect) => 2 * effect.noise ** 2)));
  if (effects.length === 0 || expected < minDetectableDeviations * noise) return 'unclear';
  const observed = sumOf(
    effects.map(({ odBefore, odAfter, growthPerHour, hours }) => Math.log(odBefore / odAfter) + growthPerHour * hours),
  );
  return observed >= minObservedShare * expected ? 'plausible' : 'implausible';
}

/** After this many implausible doses in a row the unit reports a failure. Chosen. */
export const implausibleDosesForAlarm = 3;

/** At most this many doses are assessed together when each is too small to detect. Chosen. */
const maxPooledDoses = 100;

/**
 * Counts implausible doses in a row. The counter returns `true` once per row, at the dose that reaches the limit. Unclear doses
 * are pooled, and count as one as soon as they are clear together.
 */
export function implausibleDoseCounter(): (effect: DoseEffect) => boolean {
  let inARow = 0;
  let undecided: readonly DoseEffect[] = [];
  return (effect) => {
    if (!isMeasured(effect)) return false;
    const pooled = [...undecided, effect].slice(-maxPooledDoses);
    const plausibility = assessDoses(pooled);
    undecided = plausibility === 'unclear' ? pooled : [];
    if (plausibility === 'plausible') inARow = 0;
    if (plausibility !== 'implausible') return false;
    inARow += 1;
    return inARow === implausibleDosesForAlarm;
  };
}
