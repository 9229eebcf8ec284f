import { hourMs } from '@lcs/contract/durations';
import { deviationAboutLine, median, rootMeanSquareAboutLine } from './robust-statistics.ts';

/** One reading: milliseconds since 1970 and OD (or signal) by channel; a blanked one may be 0 and below. */
export interface OdObservation {
  readonly atMs: number;
  readonly ods: Readonly<Record<string, number>>;
  /** By channel, the calibration, estimator or blank from which the OD was computed; absent without one. */
  readonly bases?: Readonly<Record<string, string>>;
}

/** All warm-up readings of a channel were equal: the sensor is stuck or not connected. */
export class StuckSensorError extends Error {
  readonly channel: string;
  constructor(channel: string) {
    super(`All readings of channel ${channel} are equal: check the sensor and its cable.`);
    this.name = 'StuckSensorError';
    this.channel = channel;
  }
}

/** What the filter derives from the warm-up readings. */
export interface WarmUpResult {
  /** Reference OD by channel: where normalised OD is 1. */
  readonly factors: Readonly<Record<string, number>>;
  /** Variance of ln OD of one reading, by channel. */
  readonly variances: Readonly<Record<string, number>>;
  /** ln of normalised OD at the end. */
  readonly level: number;
  readonly atMs: number;
}

/** Lower limit of the relative deviation of one reading, however quiet the warm-up was; the filter learns the true one. Chosen. */
const smallestDeviation = 0.002;

/**
 * A signal below so many standard deviations of its readings is near its background: the logarithm of the OD is biased there, readings
 * of 0 and below have none, and a reference of normalised OD would be one of noise. Chosen.
 */
const clearDeviations = 3;
/** The first readings are so few that they show their noise badly. Chosen: by it one in hundred of twice the noise counts as clear. */
const clearAtOnceDeviations = 5;
/** Readings that show their noise well. Chosen. */
export const readingsNearBackground = 30;

/** Whether all channels are clear of their noise; `isFirst`: by the first readings of a warm-up, else by as many as show it well. */
export function isClearOfNoise(readings: readonly OdObservation[], isFirst: boolean): boolean {
  if (!isFirst && readings.length < readingsNearBackground) return false;
  const hours = readings.map(({ atMs }) => atMs / hourMs);
  const channels = new Set(readings.flatMap(({ ods }) => Object.keys(ods)));
  return [...channels].every((channel) => {
    const known = readings.flatMap(({ ods }, index) => {
      const od = ods[channel];
      return od === undefined ? [] : [{ od, hours: hours[index] ?? 0 }];
    });
    const ods = known.map(({ od }) => od);
    const times = known.map((one) => one.hours);
    // Later a single wild reading among many only delays the start; a robust deviation would be known too badly to try again and again.
    const deviation = isFirst ? deviationAboutLine(times, ods) : rootMeanSquareAboutLine(times, ods);
    const mean = ods.reduce((sum, od) => sum + od, 0) / ods.length;
    return mean > (isFirst ? clearAtOnceDeviations : clearDeviations) * deviation;
  });
}

/** Channels whose values are all equal: the sensor is stuck or not connected. */
const isStuck = (values: readonly number[]): boolean =>
  values.length >= 3 && values.every((value) => value === values[0]);

/** @throws StuckSensorError when all readings of a channel are equal */
export function refuseStuckSensors(readings: readonly OdObservation[]): void {
  for (const channel of Object.keys(readings.at(-1)?.ods ?? {}))
    if (isStuck(readings.map(({ ods }) => ods[channel] ?? Number.NaN))) throw new StuckSensorError(channel);
}

/**
 * Evaluates the warm-up readings. Known factors (of an earlier run of the experiment) stay; the others are such that
 * normalised OD starts at 1, or at the value whose ln `expectedAt` returns. Null without a channel in all readings.
 */
export function finishWarmUp(
  readings: readonly OdObservation[],
  knownFactors: Readonly<Record<string, number>>,
  expectedAt?: (atMs: number) => number,
): WarmUpResult | null {
  const last = readings.at(-1);
  if (last === undefined) return null;
  const channels = Object.keys(last.ods).filter((channel) => readings.every(({ ods }) => ods[channel] !== undefined));
  if (channels.length === 0) return null;
  const factors: Record<string, number> = {};
  const variances: Record<string, number> = {};
  const levels: number[] = [];
  for (const channel of channels) {
    const values = readings.map(({ ods }) => ods[channel] ?? Number.NaN);
    const factor = knownFactors[channel] ?? factorOf(readings, values, expectedAt);
    const logs = values.map((value) => Math.log(value / factor));
    const hours = readings.map(({ atMs }) => (atMs - last.atMs) / hourMs);
    factors[channel] = factor;
    variances[channel] = Math.max(smallestDeviation, deviationAboutLine(hours, logs)) ** 2;
    levels.push(median(logs.slice(-5)));
  }
  const level = levels.reduce((sum, value) => sum + value, 0) / levels.length;
  return { factors: { ...knownFactors, ...factors }, variances, level, atMs: last.atMs };
}

function factorOf(
  readings: readonly OdObservation[],
  values: readonly number[],
  expectedAt: ((atMs: number) => number) | undefined,
): number {
  if (expectedAt === undefined) return median(values);
  return Math.exp(median(readings.map(({ atMs }, index) => Math.log(values[index] ?? Number.NaN) - expectedAt(atMs))));
}

/** ln of the normalised OD of one reading, channels weighted by inverse variance; null without a known channel. */
export function fusedLevel(
  reading: OdObservation,
  { factors, variances }: Pick<WarmUpResult, 'factors' | 'variances'>,
): { readonly level: number; readonly variance: number } | null {
  let [weights, sum] = [0, 0];
  for (const [channel, variance] of Object.entries(variances)) {
    const od = reading.ods[channel];
    const factor = factors[channel];
    if (od === undefined || factor === undefined) continue;
    weights += 1 / variance;
    sum += Math.log(od / factor) / variance;
  }
  return weights > 0 ? { level: sum / weights, variance: 1 / weights } : null;
}
