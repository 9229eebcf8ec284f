import type { Curve } from '@lcs/contract';
import { cubicPolynomial, EmptyCurve, type PiecewiseCurve, roundTenDecimals } from './curve.ts';
import { realRoots } from './real-roots.ts';

/** The domain of a curve: from the lowest to the highest recorded x. */
export interface CurveDomain {
  readonly min: number;
  readonly max: number;
}

/** The domain of recorded points; unlimited without points. */
export const domainOf = (xs: readonly number[]): CurveDomain =>
  xs.length === 0
    ? { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }
    : { min: Math.min(...xs), max: Math.max(...xs) };

/** The result of an inversion. `below`, `above`: the x is outside the domain. */
export type Inverse =
  | { readonly kind: 'found' | 'below' | 'above'; readonly x: number }
  | { readonly kind: 'no_solution' };

const domainTolerance = 1e-12;
const edgeTolerance = 1e-9;
const minRootDistance = 1e-7;

function rootsOfPieces({ knots, coefficients }: PiecewiseCurve, y: number): number[] {
  const last = coefficients.length - 1;
  const roots = coefficients.flatMap((piece, index) => {
    const [from = 0, to = from] = [knots[index], knots[index + 1]];
    const [a, b, c, d] = piece;
    const lowest = index === 0 ? Number.NEGATIVE_INFINITY : 0;
    const highest = index === last ? Number.POSITIVE_INFINITY : to - from;
    return realRoots(cubicPolynomial([a - y, b, c, d]))
      .filter((u) => u >= lowest - edgeTolerance && u <= highest + edgeTolerance)
      .map((u) => from + Math.min(Math.max(u, lowest), highest));
  });
  return roots
    .sort((one, other) => one - other)
    .filter((x, index, all) => index === 0 || x - (all[index - 1] ?? 0) > minRootDistance);
}

/** All x at which the curve has this y, ascending. @throws EmptyCurve */
export function solveCurve(curve: Curve, y: number): number[] {
  if (curve.coefficients.length === 0) throw new EmptyCurve();
  if (curve.type !== 'poly') return rootsOfPieces(curve, y).map(roundTenDecimals);
  const [constant = 0] = curve.coefficients.slice(-1);
  return realRoots([...curve.coefficients.slice(0, -1), constant - y]).map(roundTenDecimals);
}

const distance = ({ min, max }: CurveDomain, x: number): number => Math.max(min - x, x - max, 0);

function classify({ min, max }: CurveDomain, x: number): Inverse {
  if (x < min - domainTolerance) return { kind: 'below', x };
  if (x > max + domainTolerance) return { kind: 'above', x };
  return { kind: 'found', x: Math.min(Math.max(x, min), max) };
}

/**
 * The x at which the curve has this y: of several, the smallest inside the domain, otherwise the nearest to the domain.
 * @throws EmptyCurve
 */
export function inverseOf(curve: Curve, y: number, domain: CurveDomain): Inverse {
  const all = solveCurve(curve, y);
  const nearest = Math.min(...all.map((x) => distance(domain, x)));
  const isInside = nearest <= domainTolerance;
  const x = all.find((one) =>
    isInside ? distance(domain, one) <= domainTolerance : distance(domain, one) === nearest,
  );
  return x === undefined ? { kind: 'no_solution' } : classify(domain, x);
}
