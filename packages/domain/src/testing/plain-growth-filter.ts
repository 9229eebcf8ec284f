import { deviationAboutLine, median } from '../growth-rate/robust-statistics.ts';

/** Means of ln OD, rate and drift, and their covariance by rows of the upper triangle. */
interface PlainEstimate {
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
  readonly covariance: readonly [number, number, number, number, number, number];
}

/** A Kalman filter on ln OD at readings five seconds apart whose noise adapts without bound: what the tests compare with. */
export interface PlainFilter {
  readonly factor: number;
  readonly base: number;
  readonly noise: number;
  /** Variance of a reading as such, not of its logarithm. */
  readonly readingVariance: number;
  readonly estimate: PlainEstimate;
}

const hours = 5 / 3600;
const threshold = 5;

export function freshPlainFilter(warmUp: readonly number[]): PlainFilter {
  const factor = median(warmUp);
  const logs = warmUp.map((od) => Math.log(od / factor));
  const times = warmUp.map((_, index) => index * hours);
  const variance = Math.max(deviationAboutLine(times, logs), 0.005) ** 2;
  const level = Math.log(median(warmUp.slice(-5)) / factor);
  const base = Math.max(2e-5, (3 * variance) / Math.exp(level) ** 2);
  const estimate: PlainEstimate = { level, rate: 0, drift: 0, covariance: [0.05 ** 2, 0, 0, 0.03 ** 2, 0, 0.05 ** 2] };
  return { factor, base, noise: base, readingVariance: variance, estimate };
}

export function plainStep(filter: PlainFilter, od: number): PlainFilter {
  const { level, rate, drift } = filter.estimate;
  const [ll, lr, ld, rr, rd, dd] = filter.estimate.covariance;
  const [h, a, keeps] = [hours, (hours * hours) / 2, 0.995];
  const before = {
    level: level + h * rate + a * drift,
    rate: rate + h * drift,
    drift: keeps * drift,
  };
  const pll = ll + 2 * h * lr + 2 * a * ld + h * h * rr + 2 * h * a * rd + a * a * dd + 1e-8;
  const plr = lr + h * rr + a * rd + h * (ld + h * rd + a * dd);
  const pld = keeps * (ld + h * rd + a * dd);
  const prr = rr + 2 * h * rd + h * h * dd + 5e-8;
  const prd = keeps * (rd + h * dd);
  const pdd = keeps * keeps * dd + 5e-6;
  const normalized = od / filter.factor;
  const innovation = Math.log(normalized) - before.level;
  const known = Math.max(filter.base, filter.noise, filter.readingVariance / normalized ** 2);
  const deviations = Math.abs(innovation) / Math.sqrt(pll + known);
  const isOutlier = deviations > threshold;
  const total = pll + known * (isOutlier ? (deviations / threshold) ** 2 : 1);
  const shown = 0.98 * filter.noise + 0.02 * Math.min(innovation ** 2, 16 * total);
  const noise = isOutlier ? filter.noise : Math.max(filter.base, shown);
  const seenLevel = before.level + (pll / total) * innovation;
  return {
    ...filter,
    noise,
    readingVariance: isOutlier ? filter.readingVariance : noise * Math.exp(2 * seenLevel),
    estimate: {
      level: seenLevel,
      rate: Math.min(3, Math.max(-1, before.rate + (plr / total) * innovation)),
      drift: before.drift + (pld / total) * innovation,
      covariance: [
        pll - (pll * pll) / total,
        plr - (pll * plr) / total,
        pld - (pll * pld) / total,
        prr - (plr * plr) / total,
        prd - (plr * pld) / total,
        pdd - (pld * pld) / total,
      ],
    },
  };
}
