import { incompleteBeta, upperIncompleteGamma } from './special-functions.ts';

/** Probability of a value at least this far from 0 under Student's t distribution: the p of a two-sided test. */
export const twoSidedT = (t: number, df: number): number => incompleteBeta(df / (df + t * t), df / 2, 0.5);

/** Probability of a larger value under the F distribution. */
export const upperF = (f: number, df1: number, df2: number): number =>
  f <= 0 ? 1 : incompleteBeta(df2 / (df2 + df1 * f), df2 / 2, df1 / 2);

/** Probability of a larger value under the χ² distribution. */
export const upperChiSquare = (x: number, df: number): number => upperIncompleteGamma(df / 2, x / 2);

const halvings = 200;

/** The t of a two-sided interval with this coverage: 12.706 for 0.95 and one degree of freedom. */
export function tOfCoverage(coverage: number, df: number): number {
  const outside = 1 - coverage;
  let low = 0;
  let high = 1;
  while (twoSidedT(high, df) > outside && high < 1e12) high *= 2;
  for (let step = 0; step < halvings && high - low > 1e-13 * high; step += 1) {
    const middle = (low + high) / 2;
    if (twoSidedT(middle, df) > outside) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
