import type { Curve } from '@lcs/contract';
import { aicc, type DataPoint, distinctXs, leastSquares } from './least-squares.ts';

const maxDegree = 5;

function fitDegree(points: readonly DataPoint[], degree: number) {
  const powers = Array.from({ length: degree + 1 }, (_, index) => degree - index);
  const fit = leastSquares(points, (x) => powers.map((power) => x ** power));
  return fit && { coefficients: [...fit.parameters], criterion: aicc(points, fit.squares, degree + 1) };
}

/**
 * The least-squares polynomial; without a degree, the one with the lowest AICc up to degree 5. Undefined: too few different
 * points for the degree.
 */
export function fitPolynomial(points: readonly DataPoint[], degree?: number): Curve | undefined {
  const highest = Math.min(maxDegree, points.length - 1, distinctXs(points).length - 1);
  const degrees = degree === undefined ? Array.from({ length: highest + 1 }, (_, index) => index) : [degree];
  const fits = degrees.flatMap((each) => fitDegree(points, each) ?? []);
  const lowest = Math.min(...fits.map(({ criterion }) => criterion));
  // With too few points for the AICc, a straight line is the default.
  const best = Number.isFinite(lowest) ? fits.find(({ criterion }) => criterion === lowest) : (fits[1] ?? fits[0]);
  return best && { type: 'poly', coefficients: best.coefficients };
}

/** A line through the origin, `y = slope·x`, with its standard error and the share of the variance it explains. */
export interface OriginLine {
  readonly slope: number;
  /** Infinite for a single point. */
  readonly standardError: number;
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
  const standardError =
    points.length > 1 ? Math.sqrt(misfit / (points.length - 1) / squaresX) : Number.POSITIVE_INFINITY;
  // Sums of squares that would be 0 in exact arithmetic are rounding errors.
  const roundingError = 1e-12 * points.reduce((sum, { y }) => sum + y * y, 0);
  const rSquared = misfit <= roundingError ? 1 : spread <= roundingError ? 0 : 1 - misfit / spread;
  return { slope, standardError, rSquared };
}
