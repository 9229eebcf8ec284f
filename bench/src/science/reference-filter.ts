import { deviationAboutLine, median } from '../../../packages/domain/src/growth-rate/robust-statistics.ts';

/** One reading of one sensor. */
export interface OdReading {
  readonly atMs: number;
  readonly od: number;
}

/**
 * The growth filter of a widely used system of the same kind, made anew from its published behaviour for this bench only:
 * what lag and error are compared with. A Kalman filter on ln of normalised OD, rate (h⁻¹) and the rate's drift (h⁻²),
 * whose idea of the noise grows without an upper bound.
 */
export interface ReferenceFilter {
  /** OD that counts as 1. */
  readonly factor: number;
  readonly atMs: number;
  /** What is added to the variances at each reading. */
  readonly process: readonly [level: number, rate: number, drift: number];
  readonly base: number;
  readonly noise: number;
  /** Variance of a reading as such, not of its logarithm. */
  readonly readingVariance: number;
  /** Readings that still count as recently dosed. */
  readonly dosed: number;
  readonly level: number;
  readonly rate: number;
  readonly drift: number;
  /** Rows of the upper triangle of level, rate, drift. */
  readonly covariance: readonly [number, number, number, number, number, number];
}

const msPerHour = 3_600_000;
const outlierDeviations = 5;
const driftKeeps = 0.995;
const disturbedByDose = 2;
const smallestVariance = 1e-12;

/** From the first readings, which are not replayed; `intervalS` is the nominal one. */
export function referenceFilter(warmUp: readonly OdReading[], intervalS: number): ReferenceFilter {
  const factor = median(warmUp.map(({ od }) => od));
  const logs = warmUp.map(({ od }) => Math.log(od / factor));
  const hours = warmUp.map(({ atMs }) => atMs / msPerHour);
  const variance = Math.max(deviationAboutLine(hours, logs), 0.005) ** 2;
  const level = Math.log(median(warmUp.slice(-5).map(({ od }) => od)) / factor);
  const base = Math.max(2e-5, (3 * variance) / Math.max(Math.exp(2 * level), 1e-9));
  const middle = median(logs);
  const spread = 1.4826 * median(logs.map((log) => Math.abs(log - middle)));
  const levelDeviation = Math.max(0.05, 2 * spread, Math.sqrt(variance));
  const scale = Math.max(intervalS / 5, 0.25);
  return {
    factor,
    atMs: warmUp.at(-1)?.atMs ?? 0,
    process: [1e-8 * scale, 5e-8 * scale, 5e-6 * scale],
    base,
    noise: base,
    readingVariance: variance,
    dosed: 0,
    level,
    rate: 0,
    drift: 0,
    covariance: [levelDeviation ** 2, 0, 0, 0.03 ** 2, 0, 0.05 ** 2],
  };
}

/** Liquid was moved: the next two readings are doubted less and the level more. */
export const referenceDosed = (filter: ReferenceFilter): ReferenceFilter => ({ ...filter, dosed: disturbedByDose });

/** Takes one later reading. */
export function referenceStep(filter: ReferenceFilter, { atMs, od }: OdReading): ReferenceFilter {
  const before = predicted(filter, (atMs - filter.atMs) / msPerHour);
  const [ll, lr, ld, rr, rd, dd] = before.covariance;
  const normalized = Math.max(1e-9, od / filter.factor);
  const innovation = Math.log(normalized) - before.level;
  const known = Math.max(filter.base, filter.readingVariance / normalized ** 2, filter.noise);
  const deviations = Math.abs(innovation) / Math.sqrt(ll + known);
  const isOutlier = deviations > outlierDeviations;
  const total = ll + known * (isOutlier ? (deviations / outlierDeviations) ** 2 : 1);
  const level = before.level + (ll / total) * innovation;
  const adapts = !isOutlier && filter.dosed === 0;
  const noise = Math.max(filter.base, 0.98 * filter.noise + 0.02 * Math.min(innovation ** 2, 16 * total));
  return {
    ...filter,
    atMs,
    dosed: Math.max(0, filter.dosed - 1),
    noise: adapts ? noise : filter.noise,
    readingVariance: adapts ? noise * Math.exp(2 * level) : filter.readingVariance,
    level,
    rate: Math.min(3, Math.max(-1, before.rate + (lr / total) * innovation)),
    drift: before.drift + (ld / total) * innovation,
    covariance: [
      Math.max(smallestVariance, ll - (ll * ll) / total),
      lr - (ll * lr) / total,
      ld - (ll * ld) / total,
      Math.max(smallestVariance, rr - (lr * lr) / total),
      rd - (lr * ld) / total,
      Math.max(smallestVariance, dd - (ld * ld) / total),
    ],
  };
}

/** Its drift dies away by the reading, not by the hour. */
function predicted({ level, rate, drift, covariance, process, dosed }: ReferenceFilter, hours: number) {
  const [ll, lr, ld, rr, rd, dd] = covariance;
  const a = (hours * hours) / 2;
  const toRate = ld + hours * rd + a * dd;
  const [levelDoubt, rateDoubt] = dosed > 0 ? [0.05, 1e-4] : [0, 0];
  const grown: ReferenceFilter['covariance'] = [
    ll + 2 * hours * lr + 2 * a * ld + hours * hours * rr + 2 * hours * a * rd + a * a * dd + process[0] + levelDoubt,
    lr + hours * rr + a * rd + hours * toRate,
    driftKeeps * toRate,
    rr + 2 * hours * rd + hours * hours * dd + process[1] + rateDoubt,
    driftKeeps * (rd + hours * dd),
    driftKeeps * driftKeeps * dd + process[2],
  ];
  return {
    level: level + hours * rate + a * drift,
    rate: rate + hours * drift,
    drift: driftKeeps * drift,
    covariance: grown,
  };
}
