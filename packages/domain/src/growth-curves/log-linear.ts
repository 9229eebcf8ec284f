import { aicc } from '../curves/least-squares.ts';
import { backgroundShare } from '../growth-rate/background-share.ts';
import { clearPoints, lagMissing, startsClear } from './clear-points.ts';
import { type CurvePoint, type GrowthCurve, startLevel } from './curve-points.ts';
import { tOfCoverage } from './distributions.ts';
import { dilutionRate, doseError } from './dose-error.ts';
import { coverage, type Estimate, studentEstimate, varianceInflation } from './estimate.ts';
import { type CurveFit, fittedCurve, leastRise } from './fit-result.ts';
import { hasJump } from './jumps.ts';

/** Points of a window at least, as in Hall et al. */
const pointsPerWindow = 5;
/** Lengths of the windows, multiples of the shortest: noisy readings need longer ones. */
const lengths = [1, 1.5, 2, 3, 4, 6, 8] as const;
/** Windows begin at most this often in their own length, so that long runs take no longer. */
const startsPerWindow = 30;

/** No t of an interval of 95 % is below this. */
const leastT = 1.95;
/** Share of a window that its points must span. */
const leastSpan = 0.75;

/** A straight line with its errors: variances of intercept and slope, and their covariance. */
function regression(points: readonly CurvePoint[], backgroundOd: number) {
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
  const slopeVariance = variance / spread;
  return {
    slope,
    intercept: meanY - slope * meanX,
    rss,
    r2: squares > 0 ? 1 - rss / squares : 0,
    slopeVariance,
    /** With those of the volume of doses and of the background. */
    rateVariance:
      slopeVariance +
      (doseError * dilutionRate(points)) ** 2 +
      (slope * (points.reduce((sum, { od }) => sum + backgroundShare(od, backgroundOd), 0) / n)) ** 2,
    interceptVariance: variance * (1 / n + meanX ** 2 / spread),
    covariance: (-variance * meanX) / spread,
    df: Math.max(1, n / inflation - 2),
  };
}

/** Points of a window, without its end. */
interface Window {
  readonly hours: number;
  readonly from: number;
  readonly to: number;
  /** With 95 % confidence the slope of at least one window is above that of the window that has the highest. */
  readonly lower: number;
}

/** Windows of some hours; those at a gap or at the end, where points span less, are left out. */
function* windowsOf(points: readonly CurvePoint[], hours: number): Generator<readonly [from: number, to: number]> {
  let [to, nextH] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, { h }] of points.entries()) {
    if (h < nextH) continue;
    nextH = h + hours / startsPerWindow;
    while (to < points.length && ((points[to]?.h ?? 0) <= h + hours || to < from + pointsPerWindow)) to += 1;
    const spanH = (points[to - 1]?.h ?? 0) - h;
    if (to - from >= pointsPerWindow && spanH >= leastSpan * hours && spanH <= 2 * hours) yield [from, to];
  }
}

/** The window whose slope has the highest lower limit, of those without a jump. */
function steepestWindow(
  points: readonly CurvePoint[],
  backgroundOd: number,
  shortestH: number,
): Window | 'too_few_readings' | 'not_determined' {
  const runH = (points.at(-1)?.h ?? 0) - (points[0]?.h ?? 0);
  let isAny = false;
  let best: Window | undefined;
  for (const length of lengths) {
    const hours = length * shortestH;
    // The highest of many slopes is high by chance, too: Bonferroni's limit for as many windows as fit side by side, of all lengths.
    const confidence = 1 - (1 - coverage) / (lengths.length * Math.max(1, runH / hours));
    for (const [from, to] of windowsOf(points, hours)) {
      isAny = true;
      const within = points.slice(from, to);
      const { slope, rateVariance } = regression(within, backgroundOd);
      const se = Math.sqrt(rateVariance);
      const isInReach = best === undefined || slope - leastT * se > best.lower;
      if (!isInReach) continue;
      // A curve that is not straight has correlated residuals: they widen the error, but are not a lack of readings.
      const lower = slope - tOfCoverage(confidence, to - from - 2) * se;
      if ((best === undefined || lower > best.lower) && !hasJump(within)) best = { hours, from, to, lower };
    }
  }
  return best ?? (isAny ? 'not_determined' : 'too_few_readings');
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
 * Barlow (Mol. Biol. Evol. 31, 2014), with windows of time instead of five points. Of all windows of `shortestH` hours and up to
 * eight times that in which ln OD does not jump, the one whose slope has the highest lower confidence limit is the exponential phase: the
 * highest slope itself is that of a short window in the noise. The interval is Student's t of the slope with the variance inflated for
 * dependent residuals and errors of the volumes of doses and of an unknown background; it does not contain the choice of one of many windows.
 */
export function fitLogLinear(curve: GrowthCurve, shortestH: number): CurveFit {
  const fit = 'log_linear';
  const { firstDoseH, backgroundOd } = curve;
  const points = clearPoints(curve.points);
  if (points.length < pointsPerWindow) return { fit, failure: 'too_few_readings' };
  const window = steepestWindow(points, backgroundOd, shortestH);
  if (typeof window === 'string') return { fit, failure: window };
  const used = points.slice(window.from, window.to);
  const line = regression(used, backgroundOd);
  const runH = (points.at(-1)?.h ?? 0) - (points[0]?.h ?? 0);
  // A window of a slowly growing culture may be short: the whole run counts.
  if (!(line.slope * runH >= leastRise)) return { fit, failure: 'no_growth' };
  const [fromH, toH] = [used[0]?.h ?? 0, used.at(-1)?.h ?? 0];
  const noLag = lagMissing(firstDoseH === null || fromH < firstDoseH, startsClear(curve, points));
  const { slope, intercept, rss, r2 } = line;
  return fittedCurve({
    fit,
    muMax: studentEstimate(slope, Math.sqrt(line.rateVariance), line.df),
    lag: noLag === undefined ? lagOf(line, startLevel(curve.points)) : null,
    carryingCapacity: null,
    missing: { ...(noLag !== undefined && { lag: noLag }), carrying_capacity: 'not_of_this_fit' },
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
    parameters: {
      slope,
      intercept,
      r2,
      window_h: window.hours,
      near_background: curve.points.length - points.length,
      background_od: backgroundOd,
    },
  });
}
