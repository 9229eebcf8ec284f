import { aicc, type DataPoint } from '../curves/least-squares.ts';
import { backgroundShare } from '../growth-rate/background-share.ts';
import { clearPoints, startsClear } from './clear-points.ts';
import { type CurvePoint, type GrowthCurve, startLevel, thinned } from './curve-points.ts';
import { type Estimate, studentEstimate, transformed, varianceInflation } from './estimate.ts';
import { type CurveFit, fewestPoints, fittedCurve, leastRise } from './fit-result.ts';
import { fitNonlinear, type Model, type NonlinearFit } from './nonlinear-least-squares.ts';

/** Points of a fit at most: the cost is bounded, and neighbouring points are means. */
const mostPoints = 300;
/** ln of the fall from the maximum after which the curve ends: sigmoid curves do not fall. */
const fallAtEnd = Math.log(1.1);
/** ln by which a fitted plateau may be above all points. */
const highestExtrapolation = Math.log(1.1);

/** Parameters of both models: ln OD at the start, ln of the whole growth, ln µmax, lag in hours. */
const [startIndex, riseIndex, rateIndex, lagIndex] = [0, 1, 2, 3];

interface Sigmoid {
  readonly fit: 'gompertz' | 'baranyi_roberts';
  readonly model: Model;
  /** Hours of the highest slope. */
  readonly steepestH: (rise: number, rate: number, lag: number) => number;
  /** Parameters by the names of the source. */
  readonly named: (start: number, rise: number, rate: number, lag: number) => Readonly<Record<string, number>>;
}

const at = (values: readonly number[], index: number): number => values[index] ?? 0;

/**
 * Modified Gompertz curve (Zwietering et al., Appl. Environ. Microbiol. 56, 1990), plus the level at the start:
 * y = y₀ + A·exp(−exp(µ·e/A·(λ − t) + 1)). µ is the highest slope, λ where its tangent crosses y₀.
 */
const gompertz: Sigmoid = {
  fit: 'gompertz',
  model: (t, p) => {
    const rise = Math.exp(at(p, riseIndex));
    const rate = Math.exp(at(p, rateIndex));
    return at(p, startIndex) + rise * Math.exp(-Math.exp(((rate * Math.E) / rise) * (at(p, lagIndex) - t) + 1));
  },
  steepestH: (rise, rate, lag) => lag + rise / (rate * Math.E),
  named: (start, rise, rate, lag) => ({ y0: start, A: rise, mu: rate, lambda: lag }),
};

/**
 * Baranyi and Roberts (Int. J. Food Microbiol. 23, 1994) with curvature parameters m = 1 and v = µ, the usual form:
 * y = y₀ + µ·F − ln(1 + (exp(µ·F) − 1)/exp(A)), F = t + ln(exp(−µt) + exp(−h₀) − exp(−µt − h₀))/µ, λ = h₀/µ. µ is the
 * potential rate, which a culture with a short exponential phase does not reach.
 */
const baranyiRoberts: Sigmoid = {
  fit: 'baranyi_roberts',
  model: (t, p) => {
    const rise = Math.exp(at(p, riseIndex));
    const rate = Math.exp(at(p, rateIndex));
    const h0 = rate * at(p, lagIndex);
    const grown = rate * t + Math.log(Math.exp(-rate * t) + Math.exp(-h0) - Math.exp(-rate * t - h0));
    // ln(1 + (exp(grown) − 1)/exp(rise)), without overflow.
    const limit =
      grown > rise
        ? grown - rise + Math.log1p((Math.exp(rise) - 1) * Math.exp(-grown))
        : Math.log1p(Math.expm1(grown) * Math.exp(-rise));
    return at(p, startIndex) + grown - limit;
  },
  steepestH: (rise, rate, lag) => lag + rise / (2 * rate),
  named: (start, rise, rate, lag) => ({ y0: start, y_max: start + rise, mu: rate, lambda: lag, h0: rate * lag }),
};

/** The batch phase: up to the first dilution, without the fall after the highest level. */
function batchPhase({ points, firstDoseH }: GrowthCurve): readonly CurvePoint[] {
  const batch = firstDoseH === null ? points : points.filter(({ h }) => h < firstDoseH);
  const few = thinned(batch, mostPoints);
  const highest = few.reduce(
    (best, { level }, index) => (level > (few[best]?.level ?? Number.NEGATIVE_INFINITY) ? index : best),
    0,
  );
  const fall = (few[highest]?.level ?? 0) - (few.at(-1)?.level ?? 0);
  return fall > fallAtEnd ? few.slice(0, highest + 1) : few;
}

/** Starts of the search: the growth of the points, and rates and lags that may fit. */
function starts(points: readonly CurvePoint[], rise: number): number[][] {
  const [first, last] = [points[0]?.h ?? 0, points.at(-1)?.h ?? 1];
  const span = last - first;
  const middle = startLevel(points) + rise / 2;
  const half = points.find(({ level }) => level >= middle)?.h ?? first + span / 2;
  return [0.2, 0.5, 0.8].map((share) => {
    const lag = first + share * (half - first);
    const rate = rise / 2 / Math.max(span / 1_000, half - lag);
    return [startLevel(points), Math.log(rise), Math.log(rate), lag];
  });
}

const bestOf = (fits: readonly NonlinearFit[]): NonlinearFit | undefined =>
  fits.filter(({ squares }) => Number.isFinite(squares)).toSorted((a, b) => a.squares - b.squares)[0];

/** The standard error of the sum of some parameters. */
const errorOf = (covariance: readonly (readonly number[])[], weights: readonly number[]): number =>
  Math.sqrt(
    weights.reduce(
      (sum, wi, i) => sum + weights.reduce((inner, wj, j) => inner + wi * wj * at(covariance[i] ?? [], j), 0),
      0,
    ),
  );

/** A sigmoid curve through the batch phase. Errors: from the covariance at the minimum, inflated for dependent residuals. */
function fitSigmoid(curve: GrowthCurve, { fit, model, steepestH, named }: Sigmoid): CurveFit {
  const clear = clearPoints(curve.points);
  // Where readings of 0 and below are missing, the mean of the others is no start of a curve.
  const isStartClear = startsClear(curve, clear);
  const points = batchPhase(isStartClear ? curve : { ...curve, points: clear });
  if (points.length < fewestPoints) return { fit, failure: 'too_few_readings' };
  const levels = points.map(({ level }) => level);
  const highest = Math.max(...levels);
  const rise = highest - startLevel(points);
  if (rise < leastRise) return { fit, failure: 'no_growth' };
  const data: DataPoint[] = points.map(({ h, level }) => ({ x: h, y: level }));
  const best = bestOf(starts(points, rise).map((start) => fitNonlinear(data, model, start)));
  if (best === undefined || !best.converged) return { fit, failure: 'not_converged' };
  const { parameters, squares, inverse } = best;
  if (inverse === undefined) return { fit, failure: 'not_determined' };
  const inflation = varianceInflation(best.residuals);
  const variance = (squares / Math.max(1, points.length - parameters.length)) * inflation;
  const covariance = inverse.map((row) => row.map((value) => value * variance));
  const df = Math.max(1, points.length / inflation - parameters.length);
  const estimate = (index: number, furtherSd = 0): Estimate =>
    studentEstimate(at(parameters, index), Math.hypot(Math.sqrt(at(covariance[index] ?? [], index)), furtherSd), df);
  const exponential = (found: Estimate): Estimate => transformed(found, Math.exp, Math.exp(found.value));
  const [start, lag] = [at(parameters, startIndex), at(parameters, lagIndex)];
  const fittedRise = Math.exp(at(parameters, riseIndex));
  const ends = { fromH: points[0]?.h ?? 0, toH: points.at(-1)?.h ?? 0 };
  const fastestH = steepestH(fittedRise, Math.exp(at(parameters, rateIndex)), lag);
  const muMaxAtH = Math.min(ends.toH, Math.max(ends.fromH, fastestH));
  // ln of the rate: its error is relative, as that of a background is.
  const muMax = exponential(
    estimate(rateIndex, backgroundShare(Math.exp(model(muMaxAtH, parameters)), curve.backgroundOd)),
  );
  if (!(muMax.se < muMax.value)) return { fit, failure: 'not_determined' };
  const hasPlateau = start + fittedRise <= highest + highestExtrapolation;
  const plateau = studentEstimate(start + fittedRise, errorOf(covariance, [1, fittedRise, 0, 0]), df);
  return fittedCurve({
    fit,
    muMax,
    lag: isStartClear ? estimate(lagIndex) : null,
    carryingCapacity: hasPlateau ? exponential(plateau) : null,
    missing: {
      ...(isStartClear ? {} : { lag: 'start_near_background' as const }),
      ...(hasPlateau ? {} : { carrying_capacity: 'no_plateau' as const }),
    },
    muMaxAtH,
    ...ends,
    points: points.length,
    rss: squares,
    aicc: aicc(data, squares, parameters.length + 1),
    parameters: named(start, fittedRise, muMax.value, lag),
  });
}

export const fitGompertz = (curve: GrowthCurve): CurveFit => fitSigmoid(curve, gompertz);
export const fitBaranyiRoberts = (curve: GrowthCurve): CurveFit => fitSigmoid(curve, baranyiRoberts);
