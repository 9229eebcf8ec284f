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
 * Mean and covariance of ln OD, growth rate (h⁻¹), its drift (h⁻²), and the correlated noise: the part of the noise of
 * ln OD that decays within about a minute.
 */
export interface StateEstimate {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
  readonly correlatedNoise: number;
  readonly covariance: Covariance;
}

/** The correlated part of the noise: its variance and its time constant in hours. */
export interface CorrelatedNoise {
  readonly variance: number;
  readonly timeH: number;
}

/** Variances that the passing of time adds. */
export interface ProcessNoise {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
}

/** Variances never fall below this, so that rounding cannot make them negative. */
const smallestVariance = 1e-12;

/**
 * The prediction step over `hours`: the rate integrates into ln OD, the drift into the rate, and the drift decays
 * (Kalman, J. Basic Eng. 82, 1960; drift after Singer, IEEE Trans. AES-6, 1970). The correlated noise is an additional
 * first-order process (Bryson and Henrikson, J. Spacecraft 5, 1968).
 */
export function predict(
  estimate: StateEstimate,
  hours: number,
  driftTimeH: number,
  noise: ProcessNoise,
  slowNoise: CorrelatedNoise,
): StateEstimate {
  const { level, rate, drift, correlatedNoise } = estimate;
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = estimate.covariance;
  const retention = Math.exp(-hours / driftTimeH);
  const stays = Math.exp(-hours / slowNoise.timeH);
  // Integrals of the decaying drift: once for the rate (b), twice for the level (a).
  const b = driftTimeH * (1 - retention);
  const a = driftTimeH * (hours - b);
  const h = hours;
  return {
    level: level + h * rate + a * drift,
    rate: rate + b * drift,
    drift: retention * drift,
    correlatedNoise: stays * correlatedNoise,
    covariance: [
      ll + 2 * h * lr + 2 * a * ld + h * h * rr + 2 * h * a * rd + a * a * dd + noise.level,
      lr + h * rr + a * rd + b * (ld + h * rd + a * dd),
      retention * (ld + h * rd + a * dd),
      stays * (ls + h * rs + a * ds),
      rr + 2 * b * rd + b * b * dd + noise.rate,
      retention * (rd + b * dd),
      stays * (rs + b * ds),
      retention * retention * dd + noise.drift,
      retention * stays * ds,
      stays * stays * ss + (1 - stays * stays) * slowNoise.variance,
    ],
  };
}

/** Variance of the predicted reading: level and correlated noise, without white noise. */
export const predictedReadingVariance = ({ covariance: [ll, , , ls, , , , , , ss] }: StateEstimate): number =>
  ll + 2 * ls + ss;

/** The update step with a reading `innovation` above the prediction; `variance` is that of its white noise. */
export function update(estimate: StateEstimate, innovation: number, variance: number): StateEstimate {
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = estimate.covariance;
  const [l, r, d, s] = [ll + ls, lr + rs, ld + ds, ls + ss];
  const total = l + s + variance;
  const floor = (value: number): number => Math.max(smallestVariance, value);
  return {
    level: estimate.level + (l / total) * innovation,
    rate: estimate.rate + (r / total) * innovation,
    drift: estimate.drift + (d / total) * innovation,
    correlatedNoise: estimate.correlatedNoise + (s / total) * innovation,
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

/** Adds these amounts to the variances. */
export function inflateCovariance(estimate: StateEstimate, by: ProcessNoise): StateEstimate {
  const [ll, lr, ld, ls, rr, rd, rs, dd, ds, ss] = estimate.covariance;
  const covariance: Covariance = [ll + by.level, lr, ld, ls, rr + by.rate, rd, rs, dd + by.drift, ds, ss];
  return { ...estimate, covariance };
}
