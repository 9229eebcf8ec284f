import type { GrowthFit, UnitGrowth as UnitGrowthBody } from '@lcs/contract';
import type { CurveSummary } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { UnitGrowth } from '../growth-curves/unit-growth.ts';

/** How a unit is called and grouped in its experiment. */
export interface UnitPlace {
  readonly reactor_unit: string;
  readonly label: string | null;
  readonly group: string | null;
}

function fitBody(fit: CurveSummary['fits'][number]): GrowthFit {
  if (fit.failure !== null)
    return {
      fit: fit.fit,
      failure: fit.failure,
      mu_max: null,
      lag_h: null,
      carrying_capacity: null,
      doubling_time_h: null,
      missing: {},
      mu_max_at_h: null,
      from_h: null,
      to_h: null,
      points: null,
      rss: null,
      aicc: null,
      parameters: {},
    };
  const { missing, points, rss, aicc, parameters } = fit;
  const { doubling_time, lag, carrying_capacity } = missing;
  return {
    fit: fit.fit,
    failure: null,
    mu_max: fit.muMax,
    lag_h: fit.lag,
    carrying_capacity: fit.carryingCapacity,
    doubling_time_h: fit.doublingTime,
    missing: {
      ...(doubling_time && { doubling_time_h: doubling_time }),
      ...(lag && { lag_h: lag }),
      ...(carrying_capacity && { carrying_capacity }),
    },
    mu_max_at_h: fit.muMaxAtH,
    from_h: fit.fromH,
    to_h: fit.toH,
    points,
    rss,
    // Too few points give no criterion.
    aicc: aicc !== null && Number.isFinite(aicc) ? aicc : null,
    parameters: { ...parameters },
  };
}

export const unitBody = (place: UnitPlace, growth: UnitGrowth): UnitGrowthBody => ({
  ...place,
  channel: growth.channel,
  angle: growth.angle,
  calibrations: growth.calibrations.map((one) => ({ ...one })),
  derivations: growth.derivations.map((one) => ({ ...one, parameters: JSON.parse(one.parameters) })),
  start: toTimestamp(growth.startMs),
  hours: growth.hours,
  readings: growth.readings,
  excluded: growth.excluded,
  not_positive: growth.notPositive,
  bin_s: growth.binMs / 1_000,
  start_od: growth.startOd,
  highest_od: growth.highestOd,
  generations: growth.generations,
  generations_from_h: growth.generationsFromH,
  doses: growth.doses,
  added_ml: growth.addedMl,
  fits: growth.fits.map(fitBody),
});
