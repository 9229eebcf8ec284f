import { quantile } from '../curves/quantile.ts';
import { backgroundShare } from '../growth-rate/background-share.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { cholesky, dot, solveLower, solveUpper, type Triangular } from './cholesky.ts';
import { clearPoints, lagMissing, startsClear } from './clear-points.ts';
import { type CurvePoint, type GrowthCurve, startLevel, thinned } from './curve-points.ts';
import { dilutionRate, doseError } from './dose-error.ts';
import { coverage, type Estimate } from './estimate.ts';
import { type CurveFit, fewestPoints, fittedCurve, leastRise } from './fit-result.ts';
import { hasJump } from './jumps.ts';
import { type Hyperparameters, Matern } from './matern.ts';
import { nelderMead } from './nelder-mead.ts';

/** Points at most: the cost grows with the third power. Neighbouring points are means. */
const mostPoints = 120;
/** The process describes at most this time around the steepest part, so that means of long runs do not hide it. */
const longestH = 48;
/** Times at which curve and slope are computed. */
const gridPoints = 80;
/** Curves drawn from the posterior. */
const draws = 200;
const costCalls = 70;
/** Added to variances for the factorisation, relative. */
const jitter = 1e-9;
/** A rate at the end of the curve below this share of µmax is a plateau. */
const plateauShare = 0.1;

interface Observed {
  readonly xs: readonly number[];
  /** Levels without the straight line through all points, which is the prior mean. */
  readonly ys: readonly number[];
  readonly line: { readonly slope: number; readonly intercept: number };
}

function observed(points: readonly CurvePoint[]): Observed {
  const n = points.length;
  const meanX = points.reduce((sum, { h }) => sum + h, 0) / n;
  const meanY = points.reduce((sum, { level }) => sum + level, 0) / n;
  const spread = points.reduce((sum, { h }) => sum + (h - meanX) ** 2, 0);
  const slope = spread > 0 ? points.reduce((sum, { h, level }) => sum + (h - meanX) * (level - meanY), 0) / spread : 0;
  const intercept = meanY - slope * meanX;
  return {
    xs: points.map(({ h }) => h),
    ys: points.map(({ h, level }) => level - intercept - slope * h),
    line: { slope, intercept },
  };
}

interface Trained {
  readonly kernel: Matern;
  readonly factor: Triangular;
  /** K⁻¹·y. */
  readonly weights: Float64Array;
  readonly logLikelihood: number;
}

/** A symmetric matrix, without its upper half. */
const lowerTriangle = (size: number, valueAt: (i: number, j: number) => number): Float64Array[] =>
  Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    for (let j = 0; j <= i; j += 1) row[j] = valueAt(i, j);
    return row;
  });

/** The process with these hyperparameters; undefined: its matrix is not positive definite. */
function train({ xs, ys }: Observed, parameters: Hyperparameters): Trained | undefined {
  const kernel = new Matern(parameters);
  const noise = Math.exp(2 * parameters.lnNoise);
  const ridge = jitter * Math.exp(2 * parameters.lnDeviation);
  const factor = cholesky(
    lowerTriangle(xs.length, (i, j) => kernel.values(xs[i] ?? 0, xs[j] ?? 0) + (i === j ? noise + ridge : 0)),
  );
  if (factor === undefined) return undefined;
  const half = solveLower(factor, ys);
  const determinant = factor.reduce((sum, row, index) => sum + Math.log(row[index] ?? 1), 0);
  const logLikelihood = -0.5 * dot(half, half) - determinant - 0.5 * xs.length * Math.log(2 * Math.PI);
  return { kernel, factor, weights: solveUpper(factor, half), logLikelihood };
}

const hyperparametersOf = ([lnDeviation = 0, lnLengthH = 0, lnNoise = 0]: readonly number[]): Hyperparameters => ({
  lnDeviation,
  lnLengthH,
  lnNoise,
});

/** The hyperparameters of the highest marginal likelihood, within ranges that the data can determine. */
function bestHyperparameters(data: Observed): Hyperparameters {
  const { xs, ys } = data;
  const span = (xs.at(-1) ?? 1) - (xs[0] ?? 0);
  const deviation = Math.sqrt(dot(ys, ys) / ys.length) + 1e-6;
  const steps = ys.slice(1).map((y, index) => y - (ys[index] ?? 0));
  // Neighbouring differences contain the noise twice.
  const noise = Math.sqrt(dot(steps, steps) / Math.max(1, steps.length) / 2) + 1e-6;
  const ranges = [
    [Math.log(deviation) - 3, Math.log(deviation) + 4],
    [Math.log(span / ys.length), Math.log(3 * span)],
    [Math.log(1e-5), Math.log(deviation + noise)],
  ] as const;
  const outside = (at: readonly number[]): number =>
    ranges.reduce((sum, [low, high], index) => sum + Math.max(0, low - (at[index] ?? 0), (at[index] ?? 0) - high), 0);
  const cost = (at: readonly number[]): number => {
    const beyond = outside(at);
    if (beyond > 0) return 1e9 * (1 + beyond);
    const trained = train(data, hyperparametersOf(at));
    return trained === undefined ? 1e9 : -trained.logLikelihood;
  };
  const start = [Math.log(deviation), Math.log(span / 5), Math.max(Math.log(2e-5), Math.log(noise) - 0.1)];
  return hyperparametersOf(nelderMead(cost, start, 0.7, costCalls).at);
}

/** Mean and covariance of curve and slope at times: the curve first, then the slope. */
function posterior({ xs, line }: Observed, { kernel, factor, weights }: Trained, grid: readonly number[]) {
  const cross = [
    ...grid.map((x) => xs.map((other) => kernel.values(x, other))),
    ...grid.map((x) => xs.map((other) => kernel.slopeValue(x, other))),
  ];
  const priorMeans = [...grid.map((x) => line.intercept + line.slope * x), ...grid.map(() => line.slope)];
  const mean = cross.map((row, index) => (priorMeans[index] ?? 0) + dot(row, weights));
  const solved = cross.map((row) => solveLower(factor, row));
  const prior = (i: number, j: number): number => {
    const [a, b] = [grid[i % grid.length] ?? 0, grid[j % grid.length] ?? 0];
    if (i < grid.length && j < grid.length) return kernel.values(a, b);
    if (i >= grid.length && j >= grid.length) return kernel.slopes(a, b);
    return i >= grid.length ? kernel.slopeValue(a, b) : kernel.slopeValue(b, a);
  };
  const none = new Float64Array(0);
  const covariance = lowerTriangle(solved.length, (i, j) => prior(i, j) - dot(solved[i] ?? none, solved[j] ?? none));
  return { mean, covariance };
}

/** As many standard deviations of what no residual shows as in Bonferroni's limit for the windows of a day (`log_linear`). */
const hiddenDeviations = 4;
/** Half of the time over which the dilution rate is taken, h. */
const dilutionH = 0.5;

/** Dilutions per hour at the times of the grid. */
const dilutionsAt = (points: readonly CurvePoint[], grid: readonly number[]): readonly number[] =>
  grid.map((atH) => {
    const near = points.filter(({ h }) => Math.abs(h - atH) <= dilutionH);
    return near.length < 2 ? 0 : dilutionRate(near);
  });

/** Relative error of the rate by the background at the times of the grid: that of the nearest point. */
const backgroundsAt = (
  points: readonly CurvePoint[],
  grid: readonly number[],
  backgroundOd: number,
): readonly number[] =>
  grid.map((atH) => {
    const nearest = points.reduce((best, point) => (Math.abs(point.h - atH) < Math.abs(best.h - atH) ? point : best));
    return backgroundShare(nearest.od, backgroundOd);
  });

/**
 * A jump is searched for in windows of at least so many hours, and readings, on each side. The curve does not follow it at once: its slope is
 * wrong for a while longer, h. Chosen.
 */
const jumpWindow = { hours: 0.5, readings: 8 } as const;
const ringingH = 0.35;

/** By time of the grid: whether ln OD jumps about it, so that the slope there is no growth. */
function jumpsAt(points: readonly CurvePoint[], grid: readonly number[]): readonly boolean[] {
  const [first, last] = [points[0]?.h ?? 0, points.at(-1)?.h ?? 0];
  const half = Math.max(jumpWindow.hours, (jumpWindow.readings * (last - first)) / Math.max(1, points.length - 1));
  const jumping = grid.filter((atH) => hasJump(points.filter(({ h }) => Math.abs(h - atH) <= half)));
  const near = Math.max(ringingH, (1.01 * (last - first)) / grid.length);
  return grid.map((atH) => jumping.some((otherH) => Math.abs(otherH - atH) <= near));
}

/** Rate, lag and highest level of one curve. */
interface Features {
  readonly rate: number;
  readonly lag: number;
  readonly highest: number;
  readonly atH: number;
}

/** The times of the curve, and what no residual shows: the dilutions per hour then, and the relative error by an unknown background; whether ln OD jumps. */
interface Grid {
  readonly hours: readonly number[];
  readonly dilutions: readonly number[];
  readonly backgrounds: readonly number[];
  readonly jumps: readonly boolean[];
}

/** How many standard deviations the volumes of doses, and the background, are larger than recorded. */
interface Hidden {
  readonly volumes: number;
  readonly background: number;
}

const nothingHidden: Hidden = { volumes: 0, background: 0 };

function featuresOf(
  curve: ArrayLike<number>,
  { hours: grid, dilutions, backgrounds, jumps }: Grid,
  start: number,
  hidden = nothingHidden,
): Features {
  const m = grid.length;
  const errorsAt = (index: number, { volumes, background }: Hidden): number =>
    volumes * doseError * (dilutions[index] ?? 0) + background * (backgrounds[index] ?? 0) * (curve[m + index] ?? 0);
  // Where the rate is surely highest: what it may be wrong by does not count.
  const least = (index: number): number =>
    jumps[index] === true
      ? Number.NEGATIVE_INFINITY
      : (curve[m + index] ?? 0) -
        Math.abs(errorsAt(index, { volumes: hiddenDeviations, background: hiddenDeviations }));
  let steepest = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < m; index += 1) {
    if (least(index) > least(steepest)) steepest = index;
    highest = Math.max(highest, curve[index] ?? 0);
  }
  const rate = (curve[m + steepest] ?? 0) + errorsAt(steepest, hidden);
  const atH = grid[steepest] ?? 0;
  return { rate, atH, highest, lag: atH - ((curve[steepest] ?? 0) - start) / rate };
}

/**
 * The value of the mean curve, the deviation and the central 95 % of the draws. A drawn curve is rougher than the mean, so that the
 * highest of its slopes tends to be higher: the interval is extended to the value where it does not contain it.
 */
function drawnEstimate(value: number, drawn: readonly number[]): Estimate {
  const sorted = drawn.filter(Number.isFinite).sort((a, b) => a - b);
  const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  const se = Math.sqrt(sorted.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, sorted.length - 1));
  const outside = (1 - coverage) / 2;
  const [lower, upper] = [quantile(sorted, outside), quantile(sorted, 1 - outside)];
  return { value, se, lower: Math.min(value, lower), upper: Math.max(value, upper) };
}

/** The part of a long curve around its steepest part. */
function shortPart(points: readonly CurvePoint[], centreH: number): readonly CurvePoint[] {
  const [first, last] = [points[0]?.h ?? 0, points.at(-1)?.h ?? 0];
  if (last - first <= longestH) return points;
  const from = Math.min(Math.max(first, centreH - longestH / 2), last - longestH);
  return points.filter(({ h }) => h >= from && h <= from + longestH);
}

/**
 * A Gaussian process through ln OD, whose slope is the growth rate (Swain et al., Nat. Commun. 7, 2016), with a Matérn 5/2
 * kernel and the hyperparameters of the highest marginal likelihood. Intervals: curves drawn from the posterior, as in the
 * source; they do not contain the uncertainty of the hyperparameters. `centreH`: where a long curve is steepest.
 */
export function fitGaussianProcess(growth: GrowthCurve, centreH: number): CurveFit {
  const fit = 'gaussian_process';
  const { points: all, firstDoseH, backgroundOd } = growth;
  const clear = clearPoints(all);
  const points = thinned(shortPart(clear, centreH), mostPoints);
  if (points.length < fewestPoints) return { fit, failure: 'too_few_readings' };
  const data = observed(points);
  const parameters = bestHyperparameters(data);
  const trained = train(data, parameters);
  if (trained === undefined) return { fit, failure: 'not_converged' };
  const [fromH, toH] = [points[0]?.h ?? 0, points.at(-1)?.h ?? 0];
  const hours = Array.from({ length: gridPoints }, (_, index) => fromH + ((toH - fromH) * index) / (gridPoints - 1));
  const jumps = jumpsAt(shortPart(clear, centreH), hours);
  if (!jumps.includes(false)) return { fit, failure: 'not_determined' };
  const grid: Grid = {
    hours,
    dilutions: dilutionsAt(points, hours),
    backgrounds: backgroundsAt(points, hours, backgroundOd),
    jumps,
  };
  const { mean, covariance } = posterior(data, trained, hours);
  // The first level is that of the whole curve, also where a part of it is fitted.
  const start = startLevel(all);
  const found = featuresOf(mean, grid, start);
  if (!(found.rate > 0) || found.highest - Math.min(...mean.slice(0, gridPoints)) < leastRise)
    return { fit, failure: 'no_growth' };
  const sampled = drawFeatures(mean, covariance, grid, start);
  if (sampled === undefined) return { fit, failure: 'not_converged' };
  const rss = data.ys.reduce((sum, y, i) => {
    const x = data.xs[i] ?? 0;
    const fitted = data.xs.reduce(
      (total, other, j) => total + trained.kernel.values(x, other) * (trained.weights[j] ?? 0),
      0,
    );
    return sum + (y - fitted) ** 2;
  }, 0);
  const noLag = lagMissing(firstDoseH === null || found.atH < firstDoseH, startsClear(growth, clear));
  const hasPlateau = firstDoseH === null && (mean[2 * gridPoints - 1] ?? 0) < plateauShare * found.rate;
  return fittedCurve({
    fit,
    muMax: drawnEstimate(
      found.rate,
      sampled.map(({ rate }) => rate),
    ),
    lag:
      noLag === undefined
        ? drawnEstimate(
            found.lag,
            sampled.map(({ lag }) => lag),
          )
        : null,
    carryingCapacity: hasPlateau
      ? drawnEstimate(
          Math.exp(found.highest),
          sampled.map(({ highest }) => Math.exp(highest)),
        )
      : null,
    missing: {
      ...(noLag !== undefined && { lag: noLag }),
      ...(hasPlateau ? {} : { carrying_capacity: 'no_plateau' as const }),
    },
    muMaxAtH: found.atH,
    fromH,
    toH,
    points: points.length,
    rss,
    aicc: null,
    parameters: {
      kernel: 'matern_5_2',
      deviation: Math.exp(parameters.lnDeviation),
      length_h: Math.exp(parameters.lnLengthH),
      noise: Math.exp(parameters.lnNoise),
      log_likelihood: trained.logLikelihood,
      draws,
      seed: drawSeed,
    },
  });
}

/** The same draws for the same data: results are reproducible. */
const drawSeed = 'growth curve';

function drawFeatures(
  mean: readonly number[],
  covariance: readonly Float64Array[],
  grid: Grid,
  start: number,
): Features[] | undefined {
  const factor = withRidge(covariance);
  if (factor === undefined) return undefined;
  const stream = new SeededStream(drawSeed);
  const volumes = new SeededStream(`${drawSeed}: volumes`);
  const background = new SeededStream(`${drawSeed}: background`);
  return Array.from({ length: draws }, () => {
    const normals = Float64Array.from(mean, () => stream.normal());
    const curve = Float64Array.from(mean, (value, i) => {
      const row = factor[i];
      let sum = value;
      for (let k = 0; k <= i; k += 1) sum += (row?.[k] ?? 0) * (normals[k] ?? 0);
      return sum;
    });
    return featuresOf(curve, grid, start, { volumes: volumes.normal(), background: background.normal() });
  });
}

/** Factorises a covariance that rounding may have made indefinite: with the smallest ridge that works. */
function withRidge(covariance: readonly Float64Array[]): Triangular | undefined {
  for (const share of [1e-9, 1e-7, 1e-5, 1e-3]) {
    const factor = cholesky(covariance.map((row, index) => row.with(index, (row[index] ?? 0) * (1 + share) + 1e-15)));
    if (factor !== undefined) return factor;
  }
  return undefined;
}
