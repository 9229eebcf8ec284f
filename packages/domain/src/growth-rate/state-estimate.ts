/** Variances and covariances of `StateEstimate`, by rows of the upper triangle: level, rate, drift, fast noise, slow noise, gain. */
type Covariance = readonly [
  ll: number,
  lr: number,
  ld: number,
  lf: number,
  ls: number,
  lg: number,
  rr: number,
  rd: number,
  rf: number,
  rs: number,
  rg: number,
  dd: number,
  df: number,
  ds: number,
  dg: number,
  ff: number,
  fs: number,
  fg: number,
  ss: number,
  sg: number,
  gg: number,
];

/** Means and covariance of what a reading of ln OD consists of. */
export interface StateEstimate {
  /** ln OD without noise. */
  readonly level: number;
  /** Growth rate, h⁻¹. */
  readonly rate: number;
  /** Change of the growth rate, h⁻². */
  readonly drift: number;
  /** Noise that decays within about a minute (clumps, an unsteady vortex). */
  readonly fastNoise: number;
  /** Noise that decays within many minutes (temperature, stirring, light). */
  readonly slowNoise: number;
  /** ln of the volume of a dose by its announced volume, common to all doses. */
  readonly gain: number;
  readonly covariance: Covariance;
}

/** Standard deviation of the level. */
export const levelDeviation = ({ covariance }: StateEstimate): number => Math.sqrt(covariance[0]);

/** A stationary first-order process: its variance and its time constant in hours. */
export interface CorrelatedNoise {
  readonly variance: number;
  readonly timeH: number;
}

/** What the passing of time adds. */
export interface ProcessModel {
  /** Variance per hour of ln OD, of the rate (h⁻²), of its drift (h⁻⁴) and of ln of the gain. */
  readonly levelVariance: number;
  readonly rateVariance: number;
  readonly driftVariance: number;
  readonly gainVariance: number;
  /** Mean and variance of the rate over a long time: what an uncertain rate returns to. */
  readonly usualRate: number;
  readonly usualRateVariance: number;
  readonly fast: CorrelatedNoise;
  readonly slow: CorrelatedNoise;
}

/** Variances never fall below this, so that rounding cannot make them negative. */
const smallestVariance = 1e-12;

/** Time constant of the drift, hours: growth speeds up or slows down for hours. Chosen. */
const driftTimeH = 1.5;

/**
 * The prediction step over `hours` (Kalman, J. Basic Eng. 82, 1960). The rate is a first-order process about the usual rate,
 * with a drift that is one too, and integrates into ln OD (Singer, IEEE Trans. AES-6, 1970); the two kinds of noise are further
 * first-order processes (Bryson and Henrikson, J. Spacecraft 5, 1968).
 */
export function predict(estimate: StateEstimate, hours: number, process: ProcessModel): StateEstimate {
  const { level, rate, drift, fastNoise, slowNoise, gain } = estimate;
  const { 0: ll, 1: lr, 2: ld, 3: lf, 4: ls, 5: lg, 6: rr, 7: rd, 8: rf, 9: rs, 10: rg } = estimate.covariance;
  const { 11: dd, 12: df, 13: ds, 14: dg, 15: ff, 16: fs, 17: fg, 18: ss, 19: sg, 20: gg } = estimate.covariance;
  const { levelVariance, rateVariance, driftVariance, gainVariance, usualRate, usualRateVariance } = process;
  const { fast, slow } = process;
  const fastStays = Math.exp(-hours / fast.timeH);
  const slowStays = Math.exp(-hours / slow.timeH);
  // Without process noise the rate is constant; else this time constant keeps its variance at the usual one.
  const rateTimeH = rateVariance > 0 ? (2 * usualRateVariance) / rateVariance : Number.POSITIVE_INFINITY;
  const stays = Math.exp(-hours / rateTimeH);
  const h = rateVariance > 0 ? rateTimeH * (1 - stays) : hours;
  const lasts = Math.exp(-hours / driftTimeH);
  // Integrals of the decaying drift: once for the rate (b), twice for the level (a).
  const b = driftTimeH * (1 - lasts);
  const a = driftTimeH * (hours - b);
  const toRate = lr + h * rr + a * rd;
  const toDrift = ld + h * rd + a * dd;
  const rateToRate = stays * rr + b * rd;
  const rateToDrift = stays * rd + b * dd;
  const h2 = hours ** 2 / 2;
  const h3 = hours ** 3 / 3;
  return {
    level: level + hours * usualRate + h * (rate - usualRate) + a * drift,
    rate: usualRate + stays * (rate - usualRate) + b * drift,
    drift: lasts * drift,
    fastNoise: fastStays * fastNoise,
    slowNoise: slowStays * slowNoise,
    gain,
    covariance: [
      ll + h * lr + a * ld + h * toRate + a * toDrift + rateVariance * h3 + levelVariance * hours,
      stays * toRate + b * toDrift + rateVariance * h2,
      lasts * toDrift,
      fastStays * (lf + h * rf + a * df),
      slowStays * (ls + h * rs + a * ds),
      lg + h * rg + a * dg,
      stays * rateToRate + b * rateToDrift + rateVariance * hours + driftVariance * h3,
      lasts * rateToDrift + driftVariance * h2,
      fastStays * (stays * rf + b * df),
      slowStays * (stays * rs + b * ds),
      stays * rg + b * dg,
      lasts * lasts * dd + driftVariance * hours,
      lasts * fastStays * df,
      lasts * slowStays * ds,
      lasts * dg,
      fastStays * fastStays * ff + (1 - fastStays * fastStays) * fast.variance,
      fastStays * slowStays * fs,
      fastStays * fg,
      slowStays * slowStays * ss + (1 - slowStays * slowStays) * slow.variance,
      slowStays * sg,
      gg + gainVariance * hours,
    ],
  };
}

/** The reading that the estimate predicts, and its variance without that of the white noise. */
export const predictedReading = ({ level, fastNoise, slowNoise }: StateEstimate): number =>
  level + fastNoise + slowNoise;
export const predictedVariance = ({ covariance }: StateEstimate): number => {
  const { 0: ll, 3: lf, 4: ls, 15: ff, 16: fs, 18: ss } = covariance;
  return ll + ff + ss + 2 * (lf + ls + fs);
};

/**
 * The update step with a reading `innovation` above the prediction, `variance` the predicted one of the reading with its white
 * noise. The reading is an outlier unless it `isInlier` with that probability (probabilistic data association, Bar-Shalom and
 * Tse, Automatica 11, 1975).
 */
export function update(
  estimate: StateEstimate,
  innovation: number,
  variance: number,
  inlierProbability: number,
): StateEstimate {
  const { 0: ll, 1: lr, 2: ld, 3: lf, 4: ls, 5: lg, 6: rr, 7: rd, 8: rf, 9: rs, 10: rg } = estimate.covariance;
  const { 11: dd, 12: df, 13: ds, 14: dg, 15: ff, 16: fs, 17: fg, 18: ss, 19: sg, 20: gg } = estimate.covariance;
  const l = ll + lf + ls;
  const r = lr + rf + rs;
  const d = ld + df + ds;
  const f = lf + ff + fs;
  const s = ls + fs + ss;
  const g = lg + fg + sg;
  const p = inlierProbability;
  const weight = (p * innovation) / variance;
  const known = (p - (p * (1 - p) * innovation * innovation) / variance) / variance;
  const floor = (value: number): number => Math.max(smallestVariance, value);
  return {
    level: estimate.level + weight * l,
    rate: estimate.rate + weight * r,
    drift: estimate.drift + weight * d,
    fastNoise: estimate.fastNoise + weight * f,
    slowNoise: estimate.slowNoise + weight * s,
    gain: estimate.gain + weight * g,
    covariance: [
      floor(ll - known * l * l),
      lr - known * l * r,
      ld - known * l * d,
      lf - known * l * f,
      ls - known * l * s,
      lg - known * l * g,
      floor(rr - known * r * r),
      rd - known * r * d,
      rf - known * r * f,
      rs - known * r * s,
      rg - known * r * g,
      floor(dd - known * d * d),
      df - known * d * f,
      ds - known * d * s,
      dg - known * d * g,
      floor(ff - known * f * f),
      fs - known * f * s,
      fg - known * f * g,
      floor(ss - known * s * s),
      sg - known * s * g,
      floor(gg - known * g * g),
    ],
  };
}

/** A dose whose announced volume changes ln OD by `shift`; `ownVariance` is that of ln OD from the error of this dose alone. */
export function shiftByDose(estimate: StateEstimate, shift: number, ownVariance: number): StateEstimate {
  const { 0: ll, 1: lr, 2: ld, 3: lf, 4: ls, 5: lg, 6: rr, 7: rd, 8: rf, 9: rs, 10: rg } = estimate.covariance;
  const { 11: dd, 12: df, 13: ds, 14: dg, 15: ff, 16: fs, 17: fg, 18: ss, 19: sg, 20: gg } = estimate.covariance;
  const c = shift * Math.exp(estimate.gain);
  const cll = ll + 2 * c * lg + c * c * gg + ownVariance;
  const clr = lr + c * rg;
  const cld = ld + c * dg;
  const clf = lf + c * fg;
  const cls = ls + c * sg;
  const clg = lg + c * gg;
  return {
    ...estimate,
    level: estimate.level + c,
    covariance: [cll, clr, cld, clf, cls, clg, rr, rd, rf, rs, rg, dd, df, ds, dg, ff, fs, fg, ss, sg, gg],
  };
}

/** Adds to the variance of ln OD. */
export function loosenLevel(estimate: StateEstimate, variance: number): StateEstimate {
  const { 0: ll, 1: lr, 2: ld, 3: lf, 4: ls, 5: lg, 6: rr, 7: rd, 8: rf, 9: rs, 10: rg } = estimate.covariance;
  const { 11: dd, 12: df, 13: ds, 14: dg, 15: ff, 16: fs, 17: fg, 18: ss, 19: sg, 20: gg } = estimate.covariance;
  return {
    ...estimate,
    covariance: [ll + variance, lr, ld, lf, ls, lg, rr, rd, rf, rs, rg, dd, df, ds, dg, ff, fs, fg, ss, sg, gg],
  };
}

/**
 * The estimate of a mixture: weighted mean, and covariance including the spread between the parts. Loops without functions: the sums
 * of a function that another one calls are stored one by one.
 */
export function mixture(parts: readonly StateEstimate[], weights: readonly number[]): StateEstimate {
  let total = 0;
  for (const weight of weights) total += weight;
  let [level, rate, drift, fastNoise, slowNoise, gain] = [0, 0, 0, 0, 0, 0];
  let index = 0;
  for (const part of parts) {
    const share = (weights[index] ?? 0) / total;
    index += 1;
    level += share * part.level;
    rate += share * part.rate;
    drift += share * part.drift;
    fastNoise += share * part.fastNoise;
    slowNoise += share * part.slowNoise;
    gain += share * part.gain;
  }
  let [ll, lr, ld, lf, ls, lg, rr, rd, rf, rs, rg] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  let [dd, df, ds, dg, ff, fs, fg, ss, sg, gg] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  index = 0;
  for (const part of parts) {
    const share = (weights[index] ?? 0) / total;
    index += 1;
    const l = part.level - level;
    const r = part.rate - rate;
    const d = part.drift - drift;
    const f = part.fastNoise - fastNoise;
    const s = part.slowNoise - slowNoise;
    const g = part.gain - gain;
    const of = part.covariance;
    ll += share * (of[0] + l * l);
    lr += share * (of[1] + l * r);
    ld += share * (of[2] + l * d);
    lf += share * (of[3] + l * f);
    ls += share * (of[4] + l * s);
    lg += share * (of[5] + l * g);
    rr += share * (of[6] + r * r);
    rd += share * (of[7] + r * d);
    rf += share * (of[8] + r * f);
    rs += share * (of[9] + r * s);
    rg += share * (of[10] + r * g);
    dd += share * (of[11] + d * d);
    df += share * (of[12] + d * f);
    ds += share * (of[13] + d * s);
    dg += share * (of[14] + d * g);
    ff += share * (of[15] + f * f);
    fs += share * (of[16] + f * s);
    fg += share * (of[17] + f * g);
    ss += share * (of[18] + s * s);
    sg += share * (of[19] + s * g);
    gg += share * (of[20] + g * g);
  }
  const covariance: Covariance = [ll, lr, ld, lf, ls, lg, rr, rd, rf, rs, rg, dd, df, ds, dg, ff, fs, fg, ss, sg, gg];
  return { level, rate, drift, fastNoise, slowNoise, gain, covariance };
}

/** The mixture of two estimates: most of the fifty mixtures of each reading. */
export function mixtureOfTwo(
  one: StateEstimate,
  other: StateEstimate,
  weight: number,
  otherWeight: number,
): StateEstimate {
  const share = weight / (weight + otherWeight);
  const otherShare = otherWeight / (weight + otherWeight);
  const level = share * one.level + otherShare * other.level;
  const rate = share * one.rate + otherShare * other.rate;
  const drift = share * one.drift + otherShare * other.drift;
  const fastNoise = share * one.fastNoise + otherShare * other.fastNoise;
  const slowNoise = share * one.slowNoise + otherShare * other.slowNoise;
  const gain = share * one.gain + otherShare * other.gain;
  const l = one.level - level;
  const r = one.rate - rate;
  const d = one.drift - drift;
  const f = one.fastNoise - fastNoise;
  const s = one.slowNoise - slowNoise;
  const g = one.gain - gain;
  const itsL = other.level - level;
  const itsR = other.rate - rate;
  const itsD = other.drift - drift;
  const itsF = other.fastNoise - fastNoise;
  const itsS = other.slowNoise - slowNoise;
  const itsG = other.gain - gain;
  const own = one.covariance;
  const its = other.covariance;
  return {
    level,
    rate,
    drift,
    fastNoise,
    slowNoise,
    gain,
    covariance: [
      share * (own[0] + l * l) + otherShare * (its[0] + itsL * itsL),
      share * (own[1] + l * r) + otherShare * (its[1] + itsL * itsR),
      share * (own[2] + l * d) + otherShare * (its[2] + itsL * itsD),
      share * (own[3] + l * f) + otherShare * (its[3] + itsL * itsF),
      share * (own[4] + l * s) + otherShare * (its[4] + itsL * itsS),
      share * (own[5] + l * g) + otherShare * (its[5] + itsL * itsG),
      share * (own[6] + r * r) + otherShare * (its[6] + itsR * itsR),
      share * (own[7] + r * d) + otherShare * (its[7] + itsR * itsD),
      share * (own[8] + r * f) + otherShare * (its[8] + itsR * itsF),
      share * (own[9] + r * s) + otherShare * (its[9] + itsR * itsS),
      share * (own[10] + r * g) + otherShare * (its[10] + itsR * itsG),
      share * (own[11] + d * d) + otherShare * (its[11] + itsD * itsD),
      share * (own[12] + d * f) + otherShare * (its[12] + itsD * itsF),
      share * (own[13] + d * s) + otherShare * (its[13] + itsD * itsS),
      share * (own[14] + d * g) + otherShare * (its[14] + itsD * itsG),
      share * (own[15] + f * f) + otherShare * (its[15] + itsF * itsF),
      share * (own[16] + f * s) + otherShare * (its[16] + itsF * itsS),
      share * (own[17] + f * g) + otherShare * (its[17] + itsF * itsG),
      share * (own[18] + s * s) + otherShare * (its[18] + itsS * itsS),
      share * (own[19] + s * g) + otherShare * (its[19] + itsS * itsG),
      share * (own[20] + g * g) + otherShare * (its[20] + itsG * itsG),
    ],
  };
}
