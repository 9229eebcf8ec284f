import type { CurvePoint } from './curve-points.ts';

/**
 * Relative error of the volume of doses, one standard deviation: calibrations of pumps, and what each start loses. The level contains all
 * doses, so that its slope is wrong by this share of the dilution rate, which no residual shows.
 */
export const doseError = 0.05;

/** Dilutions per hour that the level of the points contains: the slope of the part that doses have added. */
export function dilutionRate(points: readonly CurvePoint[]): number {
  const added = points.map(({ h, od, level }) => ({ h, sum: level - Math.log(od) }));
  const meanH = added.reduce((total, { h }) => total + h, 0) / added.length;
  const spread = added.reduce((total, { h }) => total + (h - meanH) ** 2, 0);
  return added.reduce((total, { h, sum }) => total + (h - meanH) * sum, 0) / spread;
}
