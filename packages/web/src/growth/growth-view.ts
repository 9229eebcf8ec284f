import type { GrowthComparison, GrowthEstimate, GrowthGroup, GrowthSummary } from '@lcs/contract';
import type { BandLine } from '../charts/band-lines.ts';

export type FitName = GrowthSummary['fits'][number]['fit'];

const rounded = (value: number): string => String(Number(value.toPrecision(3)));

/** `0.42 (0.38 to 0.46)`, or a dash. */
export const estimateText = (estimate: GrowthEstimate | null | undefined): string =>
  estimate == null ? '–' : `${rounded(estimate.value)} (${rounded(estimate.lower)} to ${rounded(estimate.upper)})`;

export const numberText = (value: number | null | undefined): string => (value == null ? '–' : rounded(value));

/** Why a fit, or a number of it, does not exist. */
export const failureTexts: Readonly<
  Record<NonNullable<GrowthSummary['units'][number]['fits'][number]['failure']>, string>
> = {
  too_few_readings: 'too few readings',
  no_growth: 'no growth',
  not_converged: 'this curve does not describe the culture',
  not_determined: 'the readings do not determine it',
  no_plateau: 'no plateau yet',
  lag_not_in_batch: 'highest rate after the first dose',
  rate_not_above_zero: 'rate not above 0',
  not_of_this_fit: 'not part of this fit',
};

/** A row of the table of groups: mean, 95 % interval of the mean, and number of units. */
export function groupText({ statistics }: GrowthGroup, quantity: string, fit: FitName | null): string {
  const found = statistics.find((one) => one.quantity === quantity && one.fit === fit);
  if (found?.mean == null) return '–';
  const interval =
    found.lower === null || found.upper === null ? '' : ` (${rounded(found.lower)} to ${rounded(found.upper)})`;
  return `${rounded(found.mean)}${interval}, n = ${found.n}`;
}

/** The mean curves of groups; of an experiment without groups the mean of all units. Hour 0 of the chart is the first hour. */
export function meanLines({ experiments }: Pick<GrowthComparison, 'experiments'>): {
  readonly lines: readonly BandLine[];
  readonly firstH: number;
} {
  const means = experiments.flatMap((one) => one.means);
  const firstH = means.reduce((least, { hours }) => Math.min(least, hours[0] ?? 0), 0);
  const lines = means.map(({ name, hours, od, lower, upper }) => ({
    unit: name,
    name,
    hours: hours.map((hour) => hour - firstH),
    median: od,
    low: lower,
    high: upper,
  }));
  return { lines, firstH };
}
