import {
  type GrowthComparison,
  type GrowthEstimate,
  type GrowthFit,
  type GrowthGroup,
  type GrowthQuantity,
  type GrowthSummary,
  hourMs,
  type MeanCurve,
} from '@lcs/contract';
import type { BandLine } from '../charts/band-lines.ts';
import type { MeanChange } from '../charts/mean-changes.ts';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { growthWords } from '../words/growth.ts';

export type FitName = GrowthSummary['fits'][number]['fit'];

/** The quantities of a fit. */
type FitQuantity = Exclude<GrowthQuantity, 'generations'>;

const rounded = (value: number): string => digitsText(value, 3);

/** A number of a table; one without meaning is a dash with the reason. */
export interface ShownNumber {
  readonly text: string;
  /** Why there is no number, or no interval. */
  readonly reason?: string;
}

const withInterval = ({ value, lower, upper }: Pick<GrowthEstimate, 'value' | 'lower' | 'upper'>): string =>
  commonWords.valueWithRange(rounded(value), rounded(lower), rounded(upper));

export const numberText = (value: number | null | undefined): string => (value == null ? '–' : rounded(value));

/** Why a fit, or a number of it, does not exist. */
const failureTexts: Readonly<Record<NonNullable<GrowthSummary['units'][number]['fits'][number]['failure']>, string>> =
  growthWords.failureTexts;

/** A quantity of the fit of a unit, with its 95 % interval. */
export function fitNumber(fit: GrowthFit | undefined, quantity: FitQuantity): ShownNumber {
  if (fit === undefined) return { text: '–', reason: growthWords.notComputed };
  if (fit.failure !== null) return { text: '–', reason: failureTexts[fit.failure] };
  const estimate = fit[quantity];
  if (estimate === null) return { text: '–', reason: failureTexts[fit.missing[quantity] ?? 'not_determined'] };
  if (quantity === 'mu_max' && estimate.value <= 0) return { text: '–', reason: growthWords.noGrowth };
  return { text: withInterval(estimate) };
}

/** The generations of a unit, and from when on they are counted. */
export function generationsNumber({
  generations,
  generations_from_h,
}: Pick<GrowthSummary['units'][number], 'generations' | 'generations_from_h'>): ShownNumber {
  if (generations === null || generations_from_h === null)
    return { text: '–', reason: growthWords.failureTexts.start_near_background };
  if (generations_from_h === 0) return { text: rounded(generations) };
  return { text: rounded(generations), reason: growthWords.countedFromClear };
}

/**
 * Quantities that are above 0, and what a mean that is not says. An interval that reaches below 0 says only that the units are too few,
 * or differ too much.
 */
const positive: ReadonlyMap<GrowthQuantity, string> = new Map([
  ['mu_max', growthWords.onAverageNoGrowth],
  ['doubling_time_h', growthWords.meanDoublingNotPositive],
  ['carrying_capacity', growthWords.meanCapacityNotPositive],
]);

/** A cell of the table of groups: mean, 95 % interval of the mean, and number of units. */
export function groupNumber(
  { units, statistics }: Pick<GrowthGroup, 'units' | 'statistics'>,
  quantity: GrowthQuantity,
  fit: FitName | null,
): ShownNumber {
  const found = statistics.find((one) => one.quantity === quantity && one.fit === fit);
  if (found?.mean == null) return { text: '–', reason: growthWords.noUnitHasThisNumber };
  const { mean, lower, upper, n } = found;
  const notAbove0 = positive.get(quantity);
  if (notAbove0 !== undefined && mean <= 0) return { text: '–', reason: notAbove0 };
  // Of a single unit there is no mean, and no number of units.
  if (units.length === 1) return { text: rounded(mean) };
  const count = n === units.length ? commonWords.countN(n) : growthWords.countNOf(n, units.length);
  if (lower === null || upper === null) return { text: `${rounded(mean)}, ${count}` };
  if (notAbove0 !== undefined && lower <= 0)
    return {
      text: `${rounded(mean)}, ${count}`,
      reason: growthWords.withoutInterval,
    };
  return { text: `${withInterval({ value: mean, lower, upper })}, ${count}` };
}

/** Whether a group has several units: otherwise there are no replicates, means and intervals. */
export const hasReplicates = (groups: readonly Pick<GrowthGroup, 'units'>[]): boolean =>
  groups.some(({ units }) => units.length > 1);

/** Which units were diluted, and what that means for the numbers; empty: none. */
export const dilutionText = (units: readonly string[]): string =>
  units.length === 0 ? '' : growthWords.dilutedUnits(units.join(', '));

/** The reasons of the numbers of a table, each once: its notes. */
export const notesOf = (numbers: readonly ShownNumber[]): readonly string[] => [
  ...new Set(numbers.flatMap(({ reason }) => reason ?? [])),
];

/** `control: mean of 6 units until 20 h, 4 until 23.8 h`. A single unit has its name only. */
export function legendText({ name, counts = [], hours, changes = [] }: BandLine): string {
  const [first = 1] = counts;
  const ends = [...changes.map(({ atMs }) => atMs / hourMs), hours.at(-1) ?? 0];
  const texts = ends.map((end) => numberText(end));
  // A change so near to the next one that both have the same text is not worth a part.
  const parts = [first, ...changes.map(({ after }) => after)].flatMap((units, at) =>
    at > 0 && texts[at] === texts[at - 1] ? [] : [growthWords.unitsUntil(units, texts[at] ?? '')],
  );
  return first === 1 && changes.length === 0 ? name : growthWords.meanOf(name, parts.join(', '));
}

/** Longer than any distance of two hours of a mean that goes on. */
const pauseShare = 1 / 50;

/** A mean as a line that is broken where its units change, or where none has values. */
function meanOfGroup({ name, hours, od, lower, upper, n }: MeanCurve, firstH: number): BandLine {
  const [at, counts, changes]: [number[], number[], MeanChange[]] = [[], [], []];
  type Values = (number | null)[];
  const [median, low, high]: [Values, Values, Values] = [[], [], []];
  const longestH = pauseShare * ((hours.at(-1) ?? 0) - (hours[0] ?? 0));
  const push = (
    hour: number,
    count: number,
    middle: number | null,
    least: number | null,
    most: number | null,
  ): void => {
    at.push(hour - firstH);
    counts.push(count);
    median.push(middle);
    // An interval may reach below 0, an optical density does not.
    low.push(least === null ? null : Math.max(0, least));
    high.push(most);
  };
  for (const [index, hour] of hours.entries()) {
    const [before, after, beforeH] = [n[index - 1], n[index] ?? 0, hours[index - 1]];
    if (before !== undefined && beforeH !== undefined && (before !== after || hour - beforeH > longestH)) {
      const middleH = (beforeH + hour) / 2;
      push(middleH, after, null, null, null);
      changes.push({ atMs: (middleH - firstH) * hourMs, before, after });
    }
    push(hour, after, od[index] ?? null, lower[index] ?? null, upper[index] ?? null);
  }
  return { unit: name, name, hours: at, median, low, high, counts, changes };
}

/** The mean curves of groups; of an experiment without groups the mean of all units. Hour 0 of the chart is the first hour. */
export function meanLines({ experiments }: Pick<GrowthComparison, 'experiments'>): {
  readonly lines: readonly BandLine[];
  readonly firstH: number;
} {
  const means = experiments.flatMap((one) => one.means);
  const firstH = means.reduce((least, { hours }) => Math.min(least, hours[0] ?? 0), 0);
  return { lines: means.map((mean) => meanOfGroup(mean, firstH)), firstH };
}
