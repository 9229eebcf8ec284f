import type { Curve } from '@lcs/contract';
import type { Cubic } from './curve.ts';
import { aicc, type DataPoint, distinctXs, leastSquares, solveLinear } from './least-squares.ts';
import { quantile } from './quantile.ts';

const maxKnots = 6;

function quantileKnots(points: readonly DataPoint[], count: number): readonly number[] {
  const sorted = points.map(({ x }) => x).sort((a, b) => a - b);
  const knots = Array.from({ length: count }, (_, index) => quantile(sorted, index / (count - 1)));
  return knots.filter((knot, index) => index === 0 || knot > (knots[index - 1] ?? 0));
}

/** Second derivatives at the knots of the natural cubic spline through these values: 0 at both ends. */
function curvatures(knots: readonly number[], values: readonly number[]): readonly number[] {
  const width = (index: number): number => (knots[index + 1] ?? 0) - (knots[index] ?? 0);
  const slope = (index: number): number => ((values[index + 1] ?? 0) - (values[index] ?? 0)) / width(index);
  const inner = Array.from({ length: Math.max(0, knots.length - 2) }, (_, index) => index + 1);
  const matrix = inner.map((row) =>
    inner.map((column) => {
      if (column === row) return 2 * (width(row - 1) + width(row));
      return column === row - 1 ? width(row - 1) : column === row + 1 ? width(row) : 0;
    }),
  );
  const right = inner.map((index) => 6 * (slope(index) - slope(index - 1)));
  return [0, ...(solveLinear(matrix, right) ?? []), 0];
}

/** The pieces of the natural cubic spline through these values. */
function pieces(knots: readonly number[], values: readonly number[]): Cubic[] {
  const bend = curvatures(knots, values);
  return knots.slice(0, -1).map((knot, index): Cubic => {
    const width = (knots[index + 1] ?? 0) - knot;
    const [value = 0, next = 0] = [values[index], values[index + 1]];
    const [here = 0, there = 0] = [bend[index], bend[index + 1]];
    const steepness = (next - value) / width - (width * (2 * here + there)) / 6;
    return [value, steepness, here / 2, (there - here) / (6 * width)];
  });
}

const valueIn = (knots: readonly number[], cubics: readonly Cubic[], x: number): number => {
  const index = Math.min(
    Math.max(
      knots.findLastIndex((knot) => knot <= x),
      0,
    ),
    cubics.length - 1,
  );
  const [a, b, c, d] = cubics[index] ?? [0, 0, 0, 0];
  const u = x - (knots[index] ?? 0);
  return a + u * (b + u * (c + u * d));
};

/** The cardinal basis at x: each function is 1 at one knot and 0 at the others, and a spline is a linear combination of them. */
function basisOf(knots: readonly number[]): (x: number) => readonly number[] {
  const alone = knots.map((_, index) =>
    pieces(
      knots,
      knots.map((_knot, other) => (other === index ? 1 : 0)),
    ),
  );
  return (x) => alone.map((cubics) => valueIn(knots, cubics, x));
}

function fitKnots(points: readonly DataPoint[], count: number) {
  const knots = quantileKnots(points, count);
  if (knots.length < 2) return undefined;
  const fit = leastSquares(points, basisOf(knots));
  return fit && { knots, values: fit.parameters, criterion: aicc(points, fit.squares, knots.length) };
}

/**
 * The natural cubic regression spline by least squares, with knots at quantiles of x: the given number, or 2 to 6 by the lowest
 * AICc. Undefined: fewer than two different x.
 */
export function fitSpline(points: readonly DataPoint[], knots?: number): Curve | undefined {
  const most = Math.min(maxKnots, points.length, distinctXs(points).length);
  const counts = knots === undefined ? Array.from({ length: Math.max(0, most - 1) }, (_, index) => index + 2) : [knots];
  const fits = counts.flatMap((count) => fitKnots(points, count) ?? []);
  const lowest = Math.min(...fits.map(({ criterion }) => criterion));
  const best = fits.find(({ criterion }) => criterion === lowest);
  return best && { type: 'spline', knots: [...best.knots], coefficients: pieces(best.knots, best.values) };
}
