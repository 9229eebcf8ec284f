import { aicc } from '../curves/least-squares.ts';
import { backgroundShare } from '../growth-rate/background-share.ts';
import { clearPoints, lagMissing, startsClear } from './clear-points.ts';
import { type CurvePoint, type GrowthCurve, startLevel, thinned } from './curve-points.ts';
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

/** A longer window has at least so many times the length of the steepest one, and each further one so many times that of the one before. */
const longer = { atLeast: 4, by: 2 } as const;
/** Windows overlap, so that there are more of them than the limit of the steepest counts: so much further its slope may be off. Chosen. */
const overlapping = 1.25;
/**
 * Parts of a longer window outside the steepest one, of its length or longer, which must have the same slope; by so many standard deviations
 * of χ². Chosen.
 */
const parts = { fewest: 3, most: 10, deviations: 2 } as const;
/** Points at most in which a jump is searched for. */
const examinedPoints = 300;

/** Whether all parts of a window have the same slope, but for their errors: growth neither begins, ends nor changes. */
function isSteady(points: readonly CurvePoint[], backgroundOd: number, hours: number): boolean {
  const groups = Map.groupBy(points, ({ h }) => Math.floor((h - (points[0]?.h ?? 0)) / hours));
  const lines = [...groups.values()]
    .filter(
      (group) => group.length >= pointsPerWindow && (group.at(-1)?.h ?? 0) - (group[0]?.h ?? 0) >= leastSpan * hours,
    )
    .map((group) => regression(group, backgroundOd));
  if (lines.length < parts.fewest) return false;
  const weight = lines.reduce((sum, { rateVariance }) => sum + 1 / rateVariance, 0);
  const mean = lines.reduce((sum, { slope, rateVariance }) => sum + slope / rateVariance, 0) / weight;
  const chi2 = lines.reduce((sum, { slope, rateVariance }) => sum + (slope - mean) ** 2 / rateVariance, 0);
  const df = lines.length - 1;
  return chi2 <= df + parts.deviations * Math.sqrt(2 * df);
}

/**
 * The steepest of thousands of windows is steep by chance. Where growth goes on as in it for longer, the longer time shows its rate better:
 * of the windows that contain it, whose growth is steady, and whose slope may be as high as that of the steepest surely is, the one with the smallest
 * error.
 */
function longestLike(best: Window, points: readonly CurvePoint[], backgroundOd: number): Window {
  const [fromH, toH] = [points[best.from]?.h ?? 0, points[best.to - 1]?.h ?? 0];
  const [startH, endH] = [points[0]?.h ?? 0, points.at(-1)?.h ?? 0];
  const own = regression(points.slice(best.from, best.to), backgroundOd);
  const lower = own.slope - overlapping * (own.slope - best.lower);
  let [like, least] = [best, own.rateVariance];
  for (let hours = longer.atLeast * best.hours; hours <= endH - startH; hours *= longer.by)
    for (const begin of [fromH, (fromH + toH - hours) / 2, toH - hours]) {
      const beginH = Math.min(Math.max(begin, startH), endH - hours);
      const from = points.findIndex(({ h }) => h >= beginH);
      const to = points.findLastIndex(({ h }) => h <= beginH + hours) + 1;
      const within = points.slice(from, to);
      const { slope, rateVariance, df } = regression(within, backgroundOd);
      const isAsSteep = slope + tOfCoverage(coverage, df) * Math.sqrt(rateVariance) >= lower;
      if (rateVariance >= least || !isAsSteep) continue;
      const others = [...points.slice(from, best.from), ...points.slice(best.to, to)];
      if (
        !isSteady(others, backgroundOd, Math.max(best.hours, hours / parts.most)) ||
        hasJump(thinned(within, examinedPoints))
      )
        continue;
      [like, least] = [{ ...best, hours, from, to }, rateVariance];
    }
  return like;
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
  const steepest = steepestWindow(points, backgroundOd, shortestH);
  if (typeof steepest === 'string') return { fit, failure: steepest };
  const window = longestLike(steepest, points, backgroundOd);
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
