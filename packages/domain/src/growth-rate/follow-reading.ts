import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import { type Belief, corrected, doubted, predicted, type SlowNoise, shownVariance } from './kalman.ts';
import {
  calmShareAfter,
  type Expectation,
  exchanged,
  inBoth,
  livelinessOf,
  type Minds,
  ofOneMind,
  together,
} from './minds.ts';
import { type NoiseTexture, noiseParts, textureWith } from './noise-texture.ts';
import { median } from './robust-statistics.ts';
import type { WarmUpResult } from './warm-up.ts';

const msPerHour = 3_600_000;

/** What the filter remembers once it is warm; plain data. */
export interface RunningState {
  readonly warmUp: WarmUpResult;
  /** What the two minds of the filter believe together. */
  readonly belief: Belief;
  /** Absent: they are one, as at the beginning. */
  readonly minds?: Minds;
  readonly atMs: number;
  /** Variance of ln OD of a reading, as its distance from the expected level shows it. */
  readonly noise: number;
  /** What tells the slow part of the noise from the part that is new in each reading. */
  readonly texture: NoiseTexture;
  readonly risen: number;
  readonly fallen: number;
  /** ln OD less what was expected, of the outliers in a row, all on one side. */
  readonly outliers: readonly number[];
  /** Readings that a dose still disturbs. */
  readonly disturbed: number;
  /** By how much ln OD was shifted since readings were last undisturbed: parts of one dose are wrong together. */
  readonly doseShift?: number;
}

/** What happened to a reading beside the usual. */
export type GrowthRateFlag = 'outlier' | 'step' | 'changed' | 'gap' | 'disturbed';

export interface GrowthRateEstimate {
  readonly atMs: number;
  /** Per hour. */
  readonly rate: number;
  /** Standard deviation of the rate, per hour. */
  readonly rateSd: number;
  /** Multiple of the OD at the start. */
  readonly normalizedOd: number;
  readonly flags: readonly GrowthRateFlag[];
}

/** The noise may be found larger than the first readings said, but not more than so many times: else it would swallow change. */
const mostNoise = 8;

/** No reading is trusted beyond this variance of ln OD. Chosen. */
const leastNoise = 2e-5;

/** Share of the past in the noise that innovations show. Chosen. */
const noiseMemory = 0.98;

/** What a change adds to the variances: of rate (h⁻²) and drift (h⁻⁴). Chosen. */
const changeDoubt = { rate: 0.02, drift: 0.2 } as const;

/** How much less change is believed in more noise: chosen so that the error of the rate stays within 0.02 h⁻¹ in all of ours. */
const noisePower = 0.66;

/** Standardised innovations count up to this in the sums, so that one wild reading means no change. */
const mostSurprise = 4;

/** A reading against what was expected of it. */
interface Surprise {
  readonly minds: Minds;
  /** By both minds together. */
  readonly expected: Belief;
  readonly innovation: number;
  /** Variance of the noise that is new in this reading. */
  readonly quick: number;
  readonly slow: SlowNoise;
  /** ln OD less the expected level, whatever slow noise there is. */
  readonly distance: number;
  /** In standard deviations, with sign. */
  readonly deviations: number;
  readonly isOutlier: boolean;
  readonly isGap: boolean;
}

/** Takes ln OD of one later reading. */
export function follow(
  running: RunningState,
  parameters: GrowthRateParameters,
  atMs: number,
  level: number,
): { readonly running: RunningState; readonly estimate: GrowthRateEstimate } {
  const surprise = surpriseOf(running, parameters, (atMs - running.atMs) / msPerHour, level);
  const flags: GrowthRateFlag[] = running.disturbed > 0 ? ['disturbed'] : [];
  if (surprise.isGap) flags.push('gap');
  if (surprise.isOutlier) flags.push('outlier');
  const seen: RunningState = {
    ...running,
    atMs,
    ...believed(limited(mindsAfter(parameters, surprise), parameters)),
    noise: noiseAfter(running, surprise),
    texture: textureAfter(running, surprise, atMs, level),
    outliers: outliersAfter(running, surprise),
    disturbed: Math.max(0, running.disturbed - 1),
    doseShift: running.disturbed > 0 ? (running.doseShift ?? 0) : 0,
  };
  const settled = changed(stepped(seen, parameters, surprise, flags), parameters, surprise, flags);
  const { belief } = settled;
  const rateSd = shownDeviation(belief);
  const estimate = { atMs, rate: belief.rate, rateSd, normalizedOd: Math.exp(belief.level), flags };
  return { running: settled, estimate };
}

/** The filter believes more change than most cultures show, so that it follows: of its own deviation so much is error. Chosen. */
const errorShare = 0.5;

/** Hours by which the rate is late while it changes. Chosen. */
const lateH = 0.1;

/** Of the rate, per hour: nearly what it really is off, in steady growth, and more while the rate drifts. */
const shownDeviation = ({ covariance, drift }: Belief): number =>
  Math.hypot(errorShare * Math.sqrt(covariance[4]), lateH * drift);

function surpriseOf(running: RunningState, parameters: GrowthRateParameters, hours: number, level: number): Surprise {
  const isGap = hours > parameters.gapH;
  const { slow, quick } = noiseParts(running.texture, hours, running.noise, mostNoise * quietNoise(running.warmUp));
  const minds = isGap
    ? inBoth(mindsOf(running), (belief) => afterGap(belief, level, slow))
    : mindsPassed(mindsOf(running), livelyFor(parameters, quick, slow, hours), hours, slow);
  const expected = together(minds);
  const innovation = level - expected.level - expected.slow;
  const deviations = innovation / Math.sqrt(shownVariance(expected) + quick);
  const distance = level - expected.level;
  const isOutlier = Math.abs(deviations) > parameters.outlierDeviations;
  return { minds, expected, innovation, quick, slow, distance, deviations, isGap, isOutlier };
}

/**
 * The less the readings scatter over minutes, the more change is believed: so the error of the rate is about the same in
 * every noise, and none is followed more slowly than its noise demands.
 */
function livelyFor(
  parameters: GrowthRateParameters,
  quick: number,
  slow: SlowNoise,
  hours: number,
): GrowthRateParameters {
  const density = 3600 * (quick * hours + slow.variance * slow.timeH);
  const factor = (parameters.noiseDensity / density) ** noisePower;
  const [least, most] = parameters.liveliness;
  return { ...parameters, driftVariance: parameters.driftVariance * Math.min(most, Math.max(least, factor)) };
}

const mindsOf = ({ minds, belief }: RunningState): Minds => minds ?? ofOneMind(belief);

const believed = (minds: Minds): Pick<RunningState, 'belief' | 'minds'> => ({ belief: together(minds), minds });

/** The filter after the same was done to whatever it believes. */
export const reshaped = (running: RunningState, change: (belief: Belief) => Belief): RunningState => ({
  ...running,
  ...believed(inBoth(mindsOf(running), change)),
});

function mindsPassed(minds: Minds, parameters: GrowthRateParameters, hours: number, slow: SlowNoise): Minds {
  const { calm, lively, calmShare } = exchanged(minds, hours);
  const of = (belief: Belief, liveliness: number): Belief =>
    passed(belief, { ...parameters, driftVariance: liveliness * parameters.driftVariance }, hours, slow);
  return { calm: of(calm, livelinessOf.calm), lively: of(lively, livelinessOf.lively), calmShare };
}

const passed = (belief: Belief, parameters: GrowthRateParameters, hours: number, slow: SlowNoise): Belief =>
  predicted(
    belief,
    hours,
    parameters.driftTimeH,
    {
      level: parameters.levelVariance * hours,
      rate: parameters.rateVariance * hours,
      drift: parameters.driftVariance * hours,
    },
    slow,
  );

/** After a long silence the level is the one that is seen, and the rate is only a guess. */
const afterGap = (belief: Belief, level: number, slow: SlowNoise): Belief => ({
  level,
  rate: belief.rate,
  drift: 0,
  slow: 0,
  covariance: [0.05 ** 2, 0, 0, 0, Math.max(belief.covariance[4], 0.3 ** 2), 0, 0, 0.3 ** 2, 0, slow.variance],
});

/** Both minds with the reading. An outlier counts with a variance that grows with the square of how far out it is. */
function mindsAfter(parameters: GrowthRateParameters, surprise: Surprise): Minds {
  const { minds, distance, deviations, isOutlier, isGap, expected, quick } = surprise;
  const doubt = isOutlier ? (deviations / parameters.outlierDeviations) ** 2 : 1;
  const innovationOf = ({ level, slow }: Belief): number => distance + expected.level - level - slow;
  const expectation = (belief: Belief): Expectation => ({
    innovation: innovationOf(belief),
    variance: shownVariance(belief) + quick,
  });
  const seen = inBoth(minds, (belief) => {
    const shown = shownVariance(belief);
    return corrected(belief, innovationOf(belief), (shown + quick) * doubt - shown);
  });
  if (isOutlier || isGap) return seen;
  return { ...seen, calmShare: calmShareAfter(minds.calmShare, expectation(minds.calm), expectation(minds.lively)) };
}

const limited = (minds: Minds, { lowestRate, highestRate }: GrowthRateParameters): Minds =>
  inBoth(minds, (belief) => ({ ...belief, rate: Math.min(highestRate, Math.max(lowestRate, belief.rate)) }));

const quietNoise = ({ variances }: WarmUpResult): number =>
  Math.max(leastNoise, 1 / Object.values(variances).reduce((sum, variance) => sum + 1 / variance, 0));

function noiseAfter(running: RunningState, { expected, distance, isOutlier, isGap }: Surprise): number {
  if (isOutlier || isGap || running.disturbed > 0) return running.noise;
  const quiet = quietNoise(running.warmUp);
  const shown = Math.min(distance ** 2, 16 * (expected.covariance[0] + running.noise));
  const noise = noiseMemory * running.noise + (1 - noiseMemory) * shown;
  return Math.min(mostNoise * quiet, Math.max(quiet, noise));
}

function textureAfter(
  running: RunningState,
  { isOutlier, isGap }: Surprise,
  atMs: number,
  level: number,
): NoiseTexture {
  if (isGap) return { ...running.texture, recent: [] };
  if (isOutlier || running.disturbed > 0) return running.texture;
  return textureWith(running.texture, { atMs, level }, running.belief.rate);
}

function outliersAfter(running: RunningState, { innovation, isOutlier }: Surprise): readonly number[] {
  if (!isOutlier) return [];
  const isSameSide = running.outliers.every((earlier) => Math.sign(earlier) === Math.sign(innovation));
  return isSameSide ? [...running.outliers, innovation] : [innovation];
}

/** Outliers in a row on one side: the level was moved from outside, by hand or by a pump. The rate stays as it was. */
function stepped(
  running: RunningState,
  parameters: GrowthRateParameters,
  { minds, expected }: Surprise,
  flags: GrowthRateFlag[],
): RunningState {
  if (running.outliers.length < parameters.stepOutliers) return running;
  flags.push('step');
  const level = expected.level + median(running.outliers);
  const moved = inBoth(minds, (belief) =>
    doubted({ ...belief, level }, { level: running.noise, rate: 1e-4, drift: 0 }),
  );
  return {
    ...running,
    ...believed(moved),
    outliers: [],
    texture: { ...running.texture, recent: [] },
  };
}

/** Innovations that stay on one side, each too small for an outlier: the culture changed its ways. */
function changed(
  running: RunningState,
  parameters: GrowthRateParameters,
  { innovation, deviations }: Surprise,
  flags: GrowthRateFlag[],
): RunningState {
  const z = Math.max(-mostSurprise, Math.min(mostSurprise, deviations));
  const risen = Math.max(0, running.risen + z - parameters.changeAllowance);
  const fallen = Math.max(0, running.fallen - z - parameters.changeAllowance);
  if (Math.max(risen, fallen) <= parameters.changeThreshold) return { ...running, risen, fallen };
  flags.push('changed');
  const level = Math.min(innovation ** 2, 0.05);
  return { ...reshaped(running, (belief) => doubted(belief, { level, ...changeDoubt })), risen: 0, fallen: 0 };
}
