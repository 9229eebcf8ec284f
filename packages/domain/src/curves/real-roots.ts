import { polynomialAt, polynomialDerivative } from './curve.ts';

/** A turning point that comes this near to zero, in shares of what its terms add up to, touches it. */
const touching = 1e-12;

/** Where all real roots lie (Cauchy's bound). */
function bound([leading = 1, ...others]: readonly number[]): number {
  return 1 + Math.max(...others.map((coefficient) => Math.abs(coefficient / leading)), 0);
}

/** Leading terms that are zero, or far too small to move anything, are none. */
function withoutLeadingZeros(coefficients: readonly number[]): readonly number[] {
  const largest = Math.max(...coefficients.map(Math.abs), 0);
  const first = coefficients.findIndex((coefficient) => Math.abs(coefficient) > 1e-15 * largest);
  return first < 0 ? [] : coefficients.slice(first);
}

function between(coefficients: readonly number[], low: number, high: number): number {
  let [left, right] = [low, high];
  const isRising = polynomialAt(coefficients, left) < 0;
  for (let step = 0; step < 200; step += 1) {
    const middle = (left + right) / 2;
    if (middle === left || middle === right) break;
    if (polynomialAt(coefficients, middle) < 0 === isRising) left = middle;
    else right = middle;
  }
  return (left + right) / 2;
}

const touchesZero = (coefficients: readonly number[], x: number): boolean => {
  const terms = polynomialAt(coefficients.map(Math.abs), Math.abs(x));
  return Math.abs(polynomialAt(coefficients, x)) <= touching * terms;
};

/**
 * All real roots of a polynomial (highest power first), ascending; none where it is constant. Between two turning points
 * there is at most one, so that it can be closed in.
 */
export function realRoots(given: readonly number[]): number[] {
  const coefficients = withoutLeadingZeros(given);
  const [leading, constant] = coefficients;
  if (leading === undefined || constant === undefined) return [];
  if (coefficients.length === 2) return [-constant / leading];
  const edge = bound(coefficients);
  const turns = realRoots(polynomialDerivative(coefficients)).filter((x) => Math.abs(x) < edge);
  const roots = turns.filter((x) => touchesZero(coefficients, x));
  const corners = [-edge, ...turns, edge];
  for (const [index, right] of corners.entries()) {
    const left = corners[index - 1];
    if (left === undefined || roots.includes(left) || roots.includes(right)) continue;
    const [atLeft, atRight] = [polynomialAt(coefficients, left), polynomialAt(coefficients, right)];
    if (atLeft < 0 !== atRight < 0) roots.push(between(coefficients, left, right));
  }
  // Beside a turning point that touches zero there may be a simple root further on.
  for (const [index, right] of corners.entries()) {
    const left = corners[index - 1];
    if (left === undefined || roots.includes(left) === roots.includes(right)) continue;
    const from = roots.includes(left) ? left + 1e-6 * (right - left) : left;
    const to = roots.includes(right) ? right - 1e-6 * (right - left) : right;
    if (polynomialAt(coefficients, from) < 0 !== polynomialAt(coefficients, to) < 0)
      roots.push(between(coefficients, from, to));
  }
  return roots.sort((a, b) => a - b);
}
