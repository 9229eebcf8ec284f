import { hourMs } from '@lcs/contract/durations';
import type { CorrelatedNoise } from './state-estimate.ts';

/** ln OD at one time. */
interface Level {
  readonly atMs: number;
  readonly level: number;
}

/**
 * Model of the noise of ln OD with a white and a correlated part, estimated from two averages: of the steps between
 * consecutive readings, which hold little correlated noise, and of second differences over minutes, which hold all noise
 * and cancel exponential growth. Plain data.
 */
export interface NoiseModel {
  /** Half the mean square of the step between consecutive readings. */
  readonly stepVariance: number;
  /** A sixth of the mean square of the second difference over twice the lag. */
  readonly curvatureVariance: number;
  /** Recent levels, oldest first. */
  readonly recent: readonly Level[];
}

/** Time constant of the fast noise (clumps, bubbles, an unsteady vortex). Chosen. */
const correlationTimeMs = 45_000;

/** Lag of the second differences, and minimum time between stored levels. */
const lagTimeMs = 60_000;
const spacingMs = 5_000;

/** Forgetting factors of the averages: the latest readings, and about the latest ten minutes of second differences. Chosen. */
const stepForgetting = 0.97;
const curvatureForgetting = 0.99;

/** Limit of one square as a multiple of the average, so that a single shock does not change the model. */
const maxSquareRatio = 9;

/** Lower limit of the variance of one reading: steps of a converter. Chosen. */
const minVariance = 2.5e-7;

/** Smallest ratio of correlated to white variance that is significant: both averages are known to about a fifth. Chosen. */
const minCorrelatedRatio = 0.3;

/** Lower limit of the white share of the total variance. Chosen. */
const minWhiteShare = 0.1;

/**
 * Smallest sensitivity of the second difference to the correlated variance; lower when readings are far apart (1.1 at 30 s, 2.3 at
 * 15 s). Below it the error of both averages, and what the longer one still holds of a noise that falls, would count several times.
 */
const minSensitivity = 2;

export const initialNoiseModel = (variance: number): NoiseModel => ({
  stepVariance: Math.max(minVariance, variance),
  curvatureVariance: Math.max(minVariance, variance),
  recent: [],
});

/** After a dilution: shifts the earlier levels by the change of ln OD. */
export const shiftNoiseModel = (model: NoiseModel, shift: number): NoiseModel => ({
  ...model,
  recent: model.recent.map(({ atMs, level }) => ({ atMs, level: level + shift })),
});

const forgettingAverage = (memory: number, past: number, square: number): number =>
  Math.max(minVariance, memory * past + (1 - memory) * Math.min(square, maxSquareRatio * past));

/** Adds one level of a culture that grows at `rate` per hour. */
export function updateNoiseModel(
  { stepVariance, curvatureVariance, recent }: NoiseModel,
  newest: Level,
  rate: number,
): NoiseModel {
  const last = recent.at(-1);
  const passedMs = last === undefined ? 0 : newest.atMs - last.atMs;
  // At shorter intervals, skip the levels in between.
  if (last !== undefined && passedMs < 0.9 * spacingMs) return { stepVariance, curvatureVariance, recent };
  const kept = [...recent.filter(({ atMs }) => newest.atMs - atMs <= 2.5 * Math.max(lagTimeMs, passedMs)), newest];
  if (last === undefined) return { stepVariance, curvatureVariance, recent: kept };
  const change = newest.level - last.level - (rate * passedMs) / hourMs;
  const second = secondDifference(recent, newest, Math.max(lagTimeMs, passedMs));
  return {
    stepVariance: forgettingAverage(stepForgetting, stepVariance, change ** 2 / 2),
    curvatureVariance:
      second === null ? curvatureVariance : forgettingAverage(curvatureForgetting, curvatureVariance, second ** 2 / 6),
    recent: kept,
  };
}

/** Of three levels `lagMs` apart; null when one is missing. */
function secondDifference(recent: readonly Level[], now: Level, lagMs: number): number | null {
  const near = (targetMs: number): Level | undefined =>
    recent.findLast(({ atMs }) => Math.abs(atMs - targetMs) <= 0.1 * lagMs);
  const [middle, first] = [near(now.atMs - lagMs), near(now.atMs - 2 * lagMs)];
  return middle === undefined || first === undefined ? null : now.level - 2 * middle.level + first.level;
}

/** The correlated noise and the variance of the white noise, for readings `hours` apart: all is white where the two cannot be separated. */
export function splitNoise(
  { stepVariance, curvatureVariance }: NoiseModel,
  hours: number,
): { readonly correlated: CorrelatedNoise; readonly whiteVariance: number } {
  const timeH = correlationTimeMs / hourMs;
  const decay = Math.exp(-Math.max(hours, spacingMs / hourMs) / timeH);
  const lagDecay = Math.exp(-Math.max(hours, lagTimeMs / hourMs) / timeH);
  const allWhite = { correlated: { variance: 0, timeH }, whiteVariance: stepVariance };
  // Mean squares of both kinds of difference, of a first-order process beside white noise.
  const sensitivity = 6 - 8 * lagDecay + 2 * lagDecay ** 2 - 6 * (1 - decay);
  if (sensitivity < minSensitivity) return allWhite;
  const variance = (6 * (curvatureVariance - stepVariance)) / sensitivity;
  if (variance <= minCorrelatedRatio * stepVariance) return allWhite;
  const rest = stepVariance - variance * (1 - decay);
  return { correlated: { variance, timeH }, whiteVariance: Math.max(minWhiteShare * stepVariance, rest) };
}
