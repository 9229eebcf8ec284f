import {
  applyDilution,
  defaultGrowthRateParameters,
  expectedAt,
  type GrowthRateParameters,
  initialGrowthRateState,
  isUsableForGrowth,
  observe,
} from '@lcs/domain';
import type { MadeUpReading } from './made-up-culture.ts';
import { type ReferenceFilter, referenceDosed, referenceFilter, referenceStep } from './reference-filter.ts';

/** What was estimated, beside the truth. */
export interface Estimated {
  readonly timeS: number;
  readonly truth: number;
  readonly rate: number;
  /** Standard deviation that the estimator gives itself; NaN where it gives none. */
  readonly rateSd: number;
  readonly flags: readonly string[];
}

/** The service's own filter over the readings of a culture. */
export function ourEstimates(
  readings: readonly MadeUpReading[],
  parameters: GrowthRateParameters = defaultGrowthRateParameters,
): Estimated[] {
  let state = initialGrowthRateState();
  return readings.flatMap(({ atMs, od, timeS, truth, doses, signalFlags }) => {
    for (const { volumeMl, reportedMl } of doses)
      if (reportedMl !== undefined) state = applyDilution(state, parameters, { volumeMl, addedMl: reportedMl });
    if (!isUsableForGrowth(signalFlags)) {
      const expected = expectedAt(state, parameters, atMs);
      return expected === undefined ? [] : [{ timeS, truth, ...expected }];
    }
    const step = observe(state, parameters, { atMs, ods: { '2': od } });
    state = step.state;
    if (!step.ok) return [];
    const { rate, rateSd, flags } = step.estimate;
    return [{ timeS, truth, rate, rateSd, flags }];
  });
}

const warmUpReadings = 10;

/** The filter it is compared with, over the same readings; it skips those that are not positive. */
export function referenceEstimates(all: readonly MadeUpReading[], intervalS = 5): Estimated[] {
  const readings = all.filter(({ od }) => od > 0);
  let filter: ReferenceFilter = referenceFilter(readings.slice(0, warmUpReadings), intervalS);
  return readings.slice(warmUpReadings).map((reading) => {
    if (reading.doses.some(({ reportedMl }) => reportedMl !== undefined)) filter = referenceDosed(filter);
    filter = referenceStep(filter, reading);
    return { timeS: reading.timeS, truth: reading.truth, rate: filter.rate, rateSd: Number.NaN, flags: [] };
  });
}

export const between = (points: readonly Estimated[], fromS: number, toS: number): Estimated[] =>
  points.filter(({ timeS }) => timeS >= fromS && timeS < toS);

/** Root of the mean square error of the rate, h⁻¹. */
export const rateError = (points: readonly Estimated[]): number =>
  Math.sqrt(points.reduce((sum, { rate, truth }) => sum + (rate - truth) ** 2, 0) / points.length);

/** Share of the points whose error is within so many of the deviations that the estimator gives itself. */
export const shareWithin = (points: readonly Estimated[], deviations: number): number =>
  points.filter(({ rate, truth, rateSd }) => Math.abs(rate - truth) <= deviations * rateSd).length / points.length;

/**
 * Minutes after `atS` from which on the estimate stays on the new rate's side of the middle between `from` and `to` for
 * five minutes; infinity if it never does.
 */
export function lagMinutes(points: readonly Estimated[], atS: number, from: number, to: number): number {
  const middle = (from + to) / 2;
  const isOver = (rate: number): boolean => (to > from ? rate > middle : rate < middle);
  let since: number | undefined;
  for (const { timeS, rate } of points) {
    if (timeS < atS) continue;
    if (!isOver(rate)) since = undefined;
    else since ??= timeS;
    if (since !== undefined && timeS - since >= 300) return (since - atS) / 60;
  }
  return Number.POSITIVE_INFINITY;
}
