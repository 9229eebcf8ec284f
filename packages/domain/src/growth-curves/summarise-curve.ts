import { clearFromH } from './clear-points.ts';
import { type GrowthCurve, generationsOf } from './curve-points.ts';
import type { CurveFit } from './fit-result.ts';
import { fitGaussianProcess } from './gaussian-process.ts';
import { fitLogLinear } from './log-linear.ts';
import { fitBaranyiRoberts, fitGompertz } from './sigmoid-fits.ts';

/** The version of these computations: it changes whenever the same readings give other numbers. */
export const growthCurveVersion = '7';

export const defaultWindowH = 1;

/** What a paper reports about the growth curve of one unit. */
export interface CurveSummary {
  readonly startOd: number | null;
  readonly highestOd: number | null;
  readonly hours: number;
  readonly generations: number | null;
  /** Hours from which on generations are counted: before, the curve is not clear of its background. Null: it never is. */
  readonly generationsFromH: number | null;
  readonly fits: readonly CurveFit[];
}

export function summariseCurve(curve: GrowthCurve, windowH: number = defaultWindowH): CurveSummary {
  const { points } = curve;
  const fromH = clearFromH(curve);
  const logLinear = fitLogLinear(curve, windowH);
  const centreH = logLinear.failure === null ? logLinear.muMaxAtH : 0;
  return {
    startOd: points[0]?.od ?? null,
    highestOd: points.length === 0 ? null : points.reduce((highest, { od }) => Math.max(highest, od), 0),
    hours: points.at(-1)?.h ?? 0,
    generations: fromH === undefined ? null : generationsOf(points.filter(({ h }) => h >= fromH)),
    generationsFromH: fromH ?? null,
    fits: [logLinear, fitGompertz(curve), fitBaranyiRoberts(curve), fitGaussianProcess(curve, centreH)],
  };
}
