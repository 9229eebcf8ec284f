/** Mean and covariance of ln OD, growth rate (h⁻¹) and the rate's drift (h⁻²); the covariance by rows, symmetric. */
export interface Belief {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
  readonly covariance: readonly [
    levelLevel: number,
    levelRate: number,
    levelDrift: number,
    rateRate: number,
    rateDrift: number,
    driftDrift: number,
  ];
}

/** Variances added by the time that passed. */
export interface ProcessNoise {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
}

/** Variances never fall below this, so that rounding cannot make them negative. */
const smallestVariance = 1e-12;

/**
 * The belief after `hours`: ln OD rises by the rate, the rate by the drift, and the drift dies away
 * (Kalman, J. Basic Eng. 82, 1960, with a drift of Singer's kind, IEEE Trans. AES-6, 1970).
 */
export function predicted(belief: Belief, hours: number, driftTimeH: number, noise: ProcessNoise): Belief {
  const { level, rate, drift } = belief;
  const [ll, lr, ld, rr, rd, dd] = belief.covariance;
  const keeps = Math.exp(-hours / driftTimeH);
  // What a drift that dies away adds to the rate, and that to the level, within the time.
  const b = driftTimeH * (1 - keeps);
  const a = driftTimeH * (hours - b);
  const h = hours;
  const lrNext = lr + h * rr + a * rd + b * (ld + h * rd + a * dd);
  return {
    level: level + h * rate + a * drift,
    rate: rate + b * drift,
    drift: keeps * drift,
    covariance: [
      ll + 2 * h * lr + 2 * a * ld + h * h * rr + 2 * h * a * rd + a * a * dd + noise.level,
      lrNext,
      keeps * (ld + h * rd + a * dd),
      rr + 2 * b * rd + b * b * dd + noise.rate,
      keeps * (rd + b * dd),
      keeps * keeps * dd + noise.drift,
    ],
  };
}

/** The belief after seeing ln OD `innovation` above what was expected, with a measurement variance. */
export function corrected(belief: Belief, innovation: number, variance: number): Belief {
  const [ll, lr, ld, rr, rd, dd] = belief.covariance;
  const total = ll + variance;
  const floor = (value: number): number => Math.max(smallestVariance, value);
  return {
    level: belief.level + (ll / total) * innovation,
    rate: belief.rate + (lr / total) * innovation,
    drift: belief.drift + (ld / total) * innovation,
    covariance: [
      floor((ll * variance) / total),
      (lr * variance) / total,
      (ld * variance) / total,
      floor(rr - (lr * lr) / total),
      rd - (lr * ld) / total,
      floor(dd - (ld * ld) / total),
    ],
  };
}

/** The belief, less certain: variances grow by these amounts. */
export function doubted(belief: Belief, by: ProcessNoise): Belief {
  const [ll, lr, ld, rr, rd, dd] = belief.covariance;
  return { ...belief, covariance: [ll + by.level, lr, ld, rr + by.rate, rd, dd + by.drift] };
}
