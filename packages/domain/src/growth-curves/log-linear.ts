import { aicc } from '../curves/least-squares.ts';
import { type CurvePoint, type GrowthCurve, startLevel } from './curve-points.ts';
import { type Estimate, studentEstimate, varianceInflation } from './estimate.ts';
import { type CurveFit, fittedCurve } from './fit-result.ts';

/** A straight line through points from `first` to `last`, both included. */
interface Line {
  readonly first: number;
  readonly last: number;
  readonly slope: number;
}

/** Points of a window at least, as in Hall et al. */
const pointsPerWindow = 5;
/** Windows with at least this share of the highest slope belong to the exponential phase (Hall et al.). */
const slopeShare = 0.95;

/**
 * Straight lines through ln OD in all windows of `windowH` hours, by sums over the points before; a window shorter than
 * half of it (at a gap, at the end) is left out.
 */
function lines(points: readonly CurvePoint[], windowH: number): Line[] {
  const found: Line[] = [];
  const reference = points[0]?.level ?? 0;
  let last = -1;
  let [n, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0];
  for (const [first, start] of points.entries()) {
    for (let next = points[last + 1]; next !== undefined; next = points[last + 1]) {
      if (next.h > start.h + windowH && n >= pointsPerWindow) break;
      const y = next.level - reference;
      [n, sumX, sumY, sumXX, sumXY] = [n + 1, sumX + next.h, sumY + y, sumXX + next.h ** 2, sumXY + next.h * y];
      last += 1;
    }
    const spread = sumXX - sumX ** 2 / n;
    const spanH = (points[last]?.h ?? 0) - start.h;
    if (n >= pointsPerWindow && spread > 0 && spanH >= windowH / 2 && spanH <= 2 * windowH)
      found.push({ first, last, slope: (sumXY - (sumX * sumY) / n) / spread });
    const y = start.level - reference;
    [n, sumX, sumY, sumXX, sumXY] = [n - 1, sumX - start.h, sumY - y, sumXX - start.h ** 2, sumXY - start.h * y];
  }
  return found;
}

/** The window of the highest slope, and the neighbouring ones that are nearly as steep. */
function exponentialPhase(found: readonly Line[]): Line | undefined {
  const best = found.reduce(
    (highest, line, at) => (line.slope > (found[highest]?.slope ?? Number.NEGATIVE_INFINITY) ? at : highest),
    0,
  );
  const top = found[best];
  if (top === undefined) return undefined;
  const isSteep = (line: Line | undefined): boolean => line !== undefined && line.slope >= slopeShare * top.slope;
  let [from, to] = [best, best];
  while (isSteep(found[from - 1])) from -= 1;
  while (isSteep(found[to + 1])) to += 1;
  return { first: found[from]?.first ?? top.first, last: found[to]?.last ?? top.last, slope: top.slope };
}

/** A straight line with its errors: variances of intercept and slope, and their covariance. */
function regression(points: readonly CurvePoint[]) {
  const n = points.length;
  const meanX = points.reduce((sum, { h }) => sum + h, 0) / n;
  const meanY = points.reduce((sum, { level }) => sum + level, 0) / n;
  const spread = points.reduce((sum, { h }) => sum + (h - meanX) ** 2, 0);
  const slope = points.reduce((sum, { h, level }) => sum + (h - meanX) * (level - meanY), 0) / spread;
  const residuals = points.map(({ h, level }) => level - meanY - slope * (h - meanX));
  const rss = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const squares = points.reduce((sum, { level }) => sum + (level - meanY) ** 2, 0);
  const inflation = varianceInflation(residuals);
  const variance = (rss / Math.max(1, n - 2)) * inflation;
  return {
    slope,
    intercept: meanY - slope * meanX,
    rss,
    r2: squares > 0 ? 1 - rss / squares : 0,
    slopeVariance: variance / spread,
    interceptVariance: variance * (1 / n + meanX ** 2 / spread),
    covariance: (-variance * meanX) / spread,
    df: Math.max(1, n / inflation - 2),
  };
}

/** Where the line crosses the level at the start (Hall et al.); its error by the delta method. */
function lagOf(
  { slope, intercept, slopeVariance, interceptVariance, covariance, df }: ReturnType<typeof regression>,
  level: number,
): Estimate {
  const lag = (level - intercept) / slope;
  const variance = (interceptVariance + lag ** 2 * slopeVariance + 2 * lag * covariance) / slope ** 2;
  return studentEstimate(lag, Math.sqrt(Math.max(0, variance)), df);
}

/**
 * The highest growth rate as the slope of a straight line through ln OD: the "easy linear" method of Hall, Acar, Nandipati and
 * Barlow (Mol. Biol. Evol. 31, 2014), with windows of time instead of five points. The window with the highest slope and all
 * neighbouring ones with 95 % of it are one exponential phase, to which the line is fitted. The interval is Student's t of the
 * slope with the variance inflated for dependent residuals; it does not contain the choice of the highest of many windows.
 */
export function fitLogLinear({ points, firstDoseH }: GrowthCurve, windowH: number): CurveFit {
  const fit = 'log_linear';
  if (points.length < pointsPerWindow) return { fit, failure: 'too_few_readings' };
  const phase = exponentialPhase(lines(points, windowH));
  if (phase === undefined) return { fit, failure: 'too_few_readings' };
  if (!(phase.slope > 0)) return { fit, failure: 'no_growth' };
  const used = points.slice(phase.first, phase.last + 1);
  const line = regression(used);
  if (!(line.slope > 0)) return { fit, failure: 'no_growth' };
  const [fromH, toH] = [used[0]?.h ?? 0, used.at(-1)?.h ?? 0];
  const isInBatch = firstDoseH === null || fromH < firstDoseH;
  const { slope, intercept, rss, r2 } = line;
  const muMax = studentEstimate(slope, Math.sqrt(line.slopeVariance), line.df);
  return fittedCurve({
    fit,
    muMax,
    lag: isInBatch ? lagOf(line, startLevel(points)) : null,
    carryingCapacity: null,
    missing: { ...(isInBatch ? {} : { lag: 'lag_not_in_batch' as const }), carrying_capacity: 'not_of_this_fit' },
    muMaxAtH: (fromH + toH) / 2,
    fromH,
    toH,
    points: used.length,
    rss,
    aicc: aicc(
      used.map(({ h, level }) => ({ x: h, y: level })),
      rss,
      3,
    ),
    parameters: { slope, intercept, r2, window_h: windowH },
  });
}
