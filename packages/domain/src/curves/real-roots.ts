import { polynomialAt, polynomialDerivative } from './curve.ts';

/** A turning point this close to zero, relative to the sum of its terms, counts as a root. */
const touchTolerance = 1e-12;

/** Upper limit of the absolute value of all real roots (Cauchy's bound). */
function rootBound([leading = 1, ...others]: readonly number[]): number {
  return 1 + Math.max(...others.map((coefficient) => Math.abs(coefficient / leading)), 0);
}

/** Removes leading terms that are zero or negligible. */
function withoutLeadingZeros(coefficients: readonly number[]): readonly number[] {
  const largest = Math.max(...coefficients.map(Math.abs), 0);
  const first = coefficients.findIndex((coefficient) => Math.abs(coefficient) > 1e-15 * largest);
  return first < 0 ? [] : coefficients.slice(first);
}

function bisect(coefficients: readonly number[], low: number, high: number): number {
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
  return Math.abs(polynomialAt(coefficients, x)) <= touchTolerance * terms;
};

/**
 * All real roots of a polynomial (highest power first), ascending; none for a constant. Between two turning points there is at
 * most one root, which bisection finds.
 */
export function realRoots(given: readonly number[]): number[] {
  const coefficients = withoutLeadingZeros(given);
  const [leading, constant] = coefficients;
  if (leading === undefined || constant === undefined) return [];
  if (coefficients.length === 2) return [-constant / leading];
  const edge = rootBound(coefficients);
  const turns = realRoots(polynomialDerivative(coefficients)).filter((x) => Math.abs(x) < edge);
  const roots = turns.filter((x) => touchesZero(coefficients, x));
  const corners = [-edge, ...turns, edge];
  for (const [index, right] of corners.entries()) {
    const left = corners[index - 1];
    if (left === undefined || roots.includes(left) || roots.includes(right)) continue;
    const [atLeft, atRight] = [polynomialAt(coefficients, left), polynomialAt(coefficients, right)];
    if (atLeft < 0 !== atRight < 0) roots.push(bisect(coefficients, left, right));
  }
  // Beyond a turning point that touches zero there may be another, simple root.
  for (const [index, right] of corners.entries()) {
    const left = corners[index - 1];
    if (left === undefined || roots.includes(left) === roots.includes(right)) continue;
    const from = roots.includes(left) ? left + 1e-6 * (right - left) : left;
    const to = roots.includes(right) ? right - 1e-6 * (right - left) : right;
    if (polynomialAt(coefficients, from) < 0 !== polynomialAt(coefficients, to) < 0)
      roots.push(bisect(coefficients, from, to));
  }
  return roots.sort((a, b) => a - b);
}
