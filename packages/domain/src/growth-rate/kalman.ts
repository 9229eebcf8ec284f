/** Variances and covariances, by rows of the upper triangle. */
type Covariance = readonly [
  levelLevel: number,
  levelRate: number,
  levelDrift: number,
  levelSlow: number,
  rateRate: number,
  rateDrift: number,
  rateSlow: number,
  driftDrift: number,
  driftSlow: number,
  slowSlow: number,
];

/**
 * Mean and covariance of ln OD, growth rate (h⁻¹), the rate's drift (h⁻²), and of the slow part of the noise: what
 * readings show more than ln OD and that dies away within about a minute.
 */
export interface Belief {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
  readonly slow: number;
  readonly covariance: Covariance;
}

/** The slow part of the noise: its variance, and the hours within which it dies away. */
export interface SlowNoise {
  readonly variance: number;
  readonly timeH: number;
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
 * (Kalman, J. Basic Eng. 82, 1960, with a drift of Singer's kind, IEEE Trans. AES-6, 1970). The slow noise is a first-order
 * process beside them (Bryson and Henrikson, J. Spacecraft 5, 1968).
 */
export function predicted(
  belief: Belief,
  hours: number,
  driftTimeH: number,
  noise: ProcessNoise,
  slowNoise: SlowNoise,
): Belief {
  const { level, rate, drift, slow } = belief;
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = belief.covariance;
  const keeps = Math.exp(-hours / driftTimeH);
  const stays = Math.exp(-hours / slowNoise.timeH);
  // What a drift that dies away adds to the rate, and that to the level, within the time.
  const b = driftTimeH * (1 - keeps);
  const a = driftTimeH * (hours - b);
  const h = hours;
  return {
    level: level + h * rate + a * drift,
    rate: rate + b * drift,
    drift: keeps * drift,
    slow: stays * slow,
    covariance: [
      ll + 2 * h * lr + 2 * a * ld + h * h * rr + 2 * h * a * rd + a * a * dd + noise.level,
      lr + h * rr + a * rd + b * (ld + h * rd + a * dd),
      keeps * (ld + h * rd + a * dd),
      stays * (ls + h * rs + a * ds),
      rr + 2 * b * rd + b * b * dd + noise.rate,
      keeps * (rd + b * dd),
      stays * (rs + b * ds),
      keeps * keeps * dd + noise.drift,
      keeps * stays * ds,
      stays * stays * ss + (1 - stays * stays) * slowNoise.variance,
    ],
  };
}

/** Variance of what a reading will show, without the part of the noise that is new in each reading. */
export const shownVariance = ({ covariance: [ll, , , ls, , , , , , ss] }: Belief): number => ll + 2 * ls + ss;

/** The belief after a reading `innovation` above what was expected, with the variance of the noise that is new in it. */
export function corrected(belief: Belief, innovation: number, variance: number): Belief {
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = belief.covariance;
  const [l, r, d, s] = [ll + ls, lr + rs, ld + ds, ls + ss];
  const total = l + s + variance;
  const floor = (value: number): number => Math.max(smallestVariance, value);
  return {
    level: belief.level + (l / total) * innovation,
    rate: belief.rate + (r / total) * innovation,
    drift: belief.drift + (d / total) * innovation,
    slow: belief.slow + (s / total) * innovation,
    covariance: [
      floor(ll - (l * l) / total),
      lr - (l * r) / total,
      ld - (l * d) / total,
      ls - (l * s) / total,
      floor(rr - (r * r) / total),
      rd - (r * d) / total,
      rs - (r * s) / total,
      floor(dd - (d * d) / total),
      ds - (d * s) / total,
      Math.max(0, ss - (s * s) / total),
    ],
  };
}

/** The belief, less certain: variances grow by these amounts. */
export function doubted(belief: Belief, by: ProcessNoise): Belief {
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = belief.covariance;
  const covariance: Covariance = [ll + by.level, lr, ld, ls, rr + by.rate, rd, rs, dd + by.drift, ds, ss];
  return { ...belief, covariance };
}
