import type { Curve } from '@lcs/contract';
import { aicc, type DataPoint, distinctXs, leastSquares } from './least-squares.ts';

const highestDegree = 5;

function fitDegree(points: readonly DataPoint[], degree: number) {
  const powers = Array.from({ length: degree + 1 }, (_, index) => degree - index);
  const fit = leastSquares(points, (x) => powers.map((power) => x ** power));
  return fit && { coefficients: [...fit.parameters], criterion: aicc(points, fit.squares, degree + 1) };
}

/**
 * The polynomial nearest to the points; without a degree the one whose AICc is lowest, up to degree 5. Undefined without
 * points, or when they do not settle the degree that is asked for.
 */
export function fitPolynomial(points: readonly DataPoint[], degree?: number): Curve | undefined {
  const highest = Math.min(highestDegree, points.length - 1, distinctXs(points).length - 1);
  const degrees = degree === undefined ? Array.from({ length: highest + 1 }, (_, index) => index) : [degree];
  const fits = degrees.flatMap((each) => fitDegree(points, each) ?? []);
  const lowest = Math.min(...fits.map(({ criterion }) => criterion));
  // With too few points to tell, a straight line is the usual guess.
  const best = Number.isFinite(lowest) ? fits.find(({ criterion }) => criterion === lowest) : (fits[1] ?? fits[0]);
  return best && { type: 'poly', coefficients: best.coefficients };
}

/** A line through the origin, `y = slope·x`, with its standard error and the share of the variance it explains. */
export interface OriginLine {
  readonly slope: number;
  /** Infinite for a single point. */
  readonly deviation: number;
  readonly rSquared: number;
}

/** Least squares through the origin; undefined when all x are 0. */
export function fitThroughOrigin(points: readonly DataPoint[]): OriginLine | undefined {
  const squaresX = points.reduce((sum, { x }) => sum + x * x, 0);
  if (squaresX === 0) return undefined;
  const slope = points.reduce((sum, { x, y }) => sum + x * y, 0) / squaresX;
  const misfit = points.reduce((sum, { x, y }) => sum + (y - slope * x) ** 2, 0);
  const mean = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, { y }) => sum + (y - mean) ** 2, 0);
  const deviation = points.length > 1 ? Math.sqrt(misfit / (points.length - 1) / squaresX) : Number.POSITIVE_INFINITY;
  // Sums of squares that ought to be 0 are rounding errors.
  const roundingError = 1e-12 * points.reduce((sum, { y }) => sum + y * y, 0);
  const rSquared = misfit <= roundingError ? 1 : spread <= roundingError ? 0 : 1 - misfit / spread;
  return { slope, deviation, rSquared };
}
