import type { Curve } from '@lcs/contract';

type PolynomialCurve = Extract<Curve, { type: 'poly' }>;
export type PiecewiseCurve = Exclude<Curve, PolynomialCurve>;

/** Coefficients of one piece, `a + b·u + c·u² + d·u³` with u measured from the piece's knot. */
export type Cubic = PiecewiseCurve['coefficients'][number];

/** A curve without coefficients was evaluated. Such curves can be stored. */
export class EmptyCurve extends Error {
  constructor() {
    super('The curve has no coefficients.');
    this.name = 'EmptyCurve';
  }
}

const decimals = 1e10;

/** Rounds to ten decimals, which removes rounding errors of the arithmetic. */
export const roundTenDecimals = (value: number): number => {
  const scaled = value * decimals;
  return Number.isSafeInteger(Math.round(scaled)) ? Math.round(scaled) / decimals : value;
};

/** Value of a polynomial, highest power first. */
export const polynomialAt = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

/** The coefficients of the derivative, highest power first. */
export const polynomialDerivative = (coefficients: readonly number[]): number[] =>
  coefficients.slice(0, -1).map((coefficient, index) => coefficient * (coefficients.length - 1 - index));

/** The same piece as a polynomial in u, highest power first. */
export const cubicPolynomial = ([a, b, c, d]: Cubic): readonly number[] => [d, c, b, a];

/** The piece that contains x; beyond the knots, the first or last piece. */
function pieceAt({ knots, coefficients }: PiecewiseCurve, x: number): { readonly piece: Cubic; readonly u: number } {
  const last = knots.findLastIndex((knot) => knot <= x);
  const index = Math.min(Math.max(last, 0), coefficients.length - 1);
  const [piece, knot] = [coefficients[index], knots[index]];
  if (piece === undefined || knot === undefined) throw new EmptyCurve();
  return { piece, u: x - knot };
}

/** The curve's y at x. @throws EmptyCurve */
export function curveAt(curve: Curve, x: number): number {
  if (curve.type === 'poly') {
    if (curve.coefficients.length === 0) throw new EmptyCurve();
    return roundTenDecimals(polynomialAt(curve.coefficients, x));
  }
  const { piece, u } = pieceAt(curve, x);
  return roundTenDecimals(polynomialAt(cubicPolynomial(piece), u));
}

/** The slope of the curve at x. @throws EmptyCurve */
export function slopeAt(curve: Curve, x: number): number {
  if (curve.type === 'poly') {
    if (curve.coefficients.length === 0) throw new EmptyCurve();
    return polynomialAt(polynomialDerivative(curve.coefficients), x);
  }
  const { piece, u } = pieceAt(curve, x);
  return polynomialAt(polynomialDerivative(cubicPolynomial(piece)), u);
}
