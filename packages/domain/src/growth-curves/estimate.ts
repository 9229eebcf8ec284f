import { tOfCoverage } from './distributions.ts';

/** Coverage of all intervals of this folder. */
export const coverage = 0.95;

/** A number with its standard error and its 95 % confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly se: number;
  readonly lower: number;
  readonly upper: number;
}

/** An estimate with an interval of Student's t. */
export function studentEstimate(value: number, se: number, df: number): Estimate {
  const half = tOfCoverage(coverage, df) * se;
  return { value, se, lower: value - half, upper: value + half };
}

/** The estimate of `transform` of an estimate: the ends of the interval are transformed, the standard error by the delta method. */
export function transformed(estimate: Estimate, transform: (value: number) => number, slope: number): Estimate {
  const ends = [transform(estimate.lower), transform(estimate.upper)];
  return {
    value: transform(estimate.value),
    se: Math.abs(slope) * estimate.se,
    lower: Math.min(...ends),
    upper: Math.max(...ends),
  };
}

/** ln 2/µ, h; null: the rate is not clearly above 0, so that the interval would contain infinity. */
export function doublingTimeOf(rate: Estimate | null): Estimate | null {
  if (rate === null || rate.lower <= 0) return null;
  return transformed(rate, (value) => Math.LN2 / value, Math.LN2 / rate.value ** 2);
}

/**
 * Variance inflation of estimates from readings that depend on their neighbours: (1 + r)/(1 − r) of the correlation r of
 * neighbouring residuals (Bayley and Hammersley, J. R. Stat. Soc. 8, 1946). Never below 1.
 */
export function varianceInflation(residuals: readonly number[]): number {
  let product = 0;
  let square = 0;
  for (const [index, residual] of residuals.entries()) {
    square += residual * residual;
    product += residual * (residuals[index + 1] ?? 0);
  }
  const correlation = square > 0 ? Math.min(highestCorrelation, Math.max(0, product / square)) : 0;
  return (1 + correlation) / (1 - correlation);
}

/** Beyond this the number of independent readings cannot be estimated from so few. */
const highestCorrelation = 0.98;
