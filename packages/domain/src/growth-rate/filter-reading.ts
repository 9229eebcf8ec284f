import { hourMs } from '@lcs/contract';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import {
  combine,
  driftScaleOf,
  initialModes,
  type Modes,
  mapModes,
  mix,
  type PredictedReading,
  updateModeProbability,
} from './interacting-modes.ts';
import {
  type CorrelatedNoise,
  inflateCovariance,
  predict,
  predictedReadingVariance,
  type StateEstimate,
  update,
} from './kalman.ts';
import { type NoiseModel, splitNoise, updateNoiseModel } from './noise-model.ts';
import { median } from './robust-statistics.ts';
import type { WarmUpResult } from './warm-up.ts';

/** State of the filter after the warm-up. Plain data. */
export interface RunningFilter {
  readonly warmUp: WarmUpResult;
  /** Combined estimate of both modes. */
  readonly estimate: StateEstimate;
  /** Absent: both modes are equal, as after the warm-up. */
  readonly modes?: Modes;
  readonly atMs: number;
  /** Variance of ln OD of one reading about the predicted level. */
  readonly readingVariance: number;
  /** Separates the correlated part of the noise from the white part. */
  readonly noiseModel: NoiseModel;
  /** Page's cumulative sums of standardised innovations, upwards and downwards. */
  readonly cusumUp: number;
  readonly cusumDown: number;
  /** Innovations of the latest consecutive outliers, all of one sign. */
  readonly outliers: readonly number[];
  /** Number of coming readings that a dose still disturbs. */
  readonly disturbedReadings: number;
  /** Shift of ln OD since the last undisturbed reading: the errors of the parts of one dose are correlated. */
  readonly doseShift?: number;
}

/** Exceptional conditions of one reading. */
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

/** Upper limit of the reading variance as a multiple of the warm-up's: a larger one would absorb real change. Chosen. */
const maxVarianceRatio = 8;

/** Lower limit of the variance of ln OD of one reading. Chosen. */
const minReadingVariance = 2e-5;

/** Forgetting factor of the reading variance. Chosen. */
const varianceForgetting = 0.98;

/** Variances added when a change is detected: rate (h⁻²) and drift (h⁻⁴). Chosen. */
const changeInflation = { rate: 0.02, drift: 0.2 } as const;

/** The drift variance falls with this power of the noise density: keeps the rate error below 0.02 h⁻¹ in the growth bench. */
const driftScaleExponent = 0.66;

/** Limit of one standardised innovation in the cumulative sums, so that a single outlier does not count as a change. */
const maxCusumStep = 4;

/** One reading compared with its prediction. */
interface Innovation {
  readonly modes: Modes;
  /** Combined prediction of both modes. */
  readonly expected: StateEstimate;
  readonly innovation: number;
  /** Variance of the white noise of this reading. */
  readonly whiteVariance: number;
  readonly correlatedNoise: CorrelatedNoise;
  /** ln OD minus the predicted level, correlated noise included. */
  readonly distance: number;
  /** The innovation in standard deviations, signed. */
  readonly deviations: number;
  readonly isOutlier: boolean;
  readonly isGap: boolean;
}

/** Updates the filter with ln OD of one reading. `atMs` must be later than the previous one. */
export function filterReading(
  running: RunningFilter,
  parameters: GrowthRateParameters,
  atMs: number,
  level: number,
): { readonly running: RunningFilter; readonly estimate: GrowthRateEstimate } {
  const innovation = compareReading(running, parameters, (atMs - running.atMs) / hourMs, level);
  const flags: GrowthRateFlag[] = running.disturbedReadings > 0 ? ['disturbed'] : [];
  if (innovation.isGap) flags.push('gap');
  if (innovation.isOutlier) flags.push('outlier');
  const updated: RunningFilter = {
    ...running,
    atMs,
    ...withModes(clampRates(updateModes(parameters, innovation), parameters)),
    readingVariance: nextReadingVariance(running, innovation),
    noiseModel: nextNoiseModel(running, innovation, atMs, level),
    outliers: nextOutliers(running, innovation),
    disturbedReadings: Math.max(0, running.disturbedReadings - 1),
    doseShift: running.disturbedReadings > 0 ? (running.doseShift ?? 0) : 0,
  };
  const settled = detectChange(detectStep(updated, parameters, innovation, flags), parameters, innovation, flags);
  const { rate, level: estimatedLevel } = settled.estimate;
  const rateSd = reportedDeviation(settled.estimate);
  return { running: settled, estimate: { atMs, rate, rateSd, normalizedOd: Math.exp(estimatedLevel), flags } };
}

/**
 * The process noise is larger than that of most cultures, so that the filter tracks changes: the true error is this share
 * of its own deviation. Chosen.
 */
const reportedShare = 0.5;

/** Delay of the rate while it changes, hours. Chosen. */
const lagH = 0.1;

/** Standard deviation of the rate, per hour: close to the true error in steady growth, larger while the rate drifts. */
const reportedDeviation = ({ covariance, drift }: StateEstimate): number =>
  Math.hypot(reportedShare * Math.sqrt(covariance[4]), lagH * drift);

function compareReading(
  running: RunningFilter,
  parameters: GrowthRateParameters,
  hours: number,
  level: number,
): Innovation {
  const isGap = hours > parameters.gapH;
  const { correlated: correlatedNoise, whiteVariance } = splitNoise(
    running.noiseModel,
    hours,
    running.readingVariance,
    maxVarianceRatio * warmUpVariance(running.warmUp),
  );
  const modes = isGap
    ? mapModes(modesOf(running), (estimate) => afterGap(estimate, level, correlatedNoise))
    : predictModes(
        modesOf(running),
        scaleDriftVariance(parameters, whiteVariance, correlatedNoise, hours),
        hours,
        correlatedNoise,
      );
  const expected = combine(modes);
  const innovation = level - expected.level - expected.correlatedNoise;
  const deviations = innovation / Math.sqrt(predictedReadingVariance(expected) + whiteVariance);
  const distance = level - expected.level;
  const isOutlier = Math.abs(deviations) > parameters.outlierDeviations;
  return { modes, expected, innovation, whiteVariance, correlatedNoise, distance, deviations, isGap, isOutlier };
}

/** Scales the drift variance with the noise density, so that the rate error is about equal at all noise levels. */
function scaleDriftVariance(
  parameters: GrowthRateParameters,
  whiteVariance: number,
  correlatedNoise: CorrelatedNoise,
  hours: number,
): GrowthRateParameters {
  const density = 3600 * (whiteVariance * hours + correlatedNoise.variance * correlatedNoise.timeH);
  const factor = (parameters.noiseDensity / density) ** driftScaleExponent;
  const [least, most] = parameters.driftScaleRange;
  return { ...parameters, driftVariance: parameters.driftVariance * Math.min(most, Math.max(least, factor)) };
}

const modesOf = ({ modes, estimate }: RunningFilter): Modes => modes ?? initialModes(estimate);

const withModes = (modes: Modes): Pick<RunningFilter, 'estimate' | 'modes'> => ({ estimate: combine(modes), modes });

/** Applies the same change to the estimate of each mode. */
export const mapEstimates = (
  running: RunningFilter,
  change: (estimate: StateEstimate) => StateEstimate,
): RunningFilter => ({
  ...running,
  ...withModes(mapModes(modesOf(running), change)),
});

function predictModes(
  modes: Modes,
  parameters: GrowthRateParameters,
  hours: number,
  correlatedNoise: CorrelatedNoise,
): Modes {
  const { slowMode, fastMode, slowModeProbability } = mix(modes, hours);
  const predictAt = (estimate: StateEstimate, driftScale: number): StateEstimate =>
    predictMode(
      estimate,
      { ...parameters, driftVariance: driftScale * parameters.driftVariance },
      hours,
      correlatedNoise,
    );
  return {
    slowMode: predictAt(slowMode, driftScaleOf.slowMode),
    fastMode: predictAt(fastMode, driftScaleOf.fastMode),
    slowModeProbability,
  };
}

const predictMode = (
  estimate: StateEstimate,
  parameters: GrowthRateParameters,
  hours: number,
  correlatedNoise: CorrelatedNoise,
): StateEstimate =>
  predict(
    estimate,
    hours,
    parameters.driftTimeH,
    {
      level: parameters.levelVariance * hours,
      rate: parameters.rateVariance * hours,
      drift: parameters.driftVariance * hours,
    },
    correlatedNoise,
  );

/** After a gap the level is that of the reading, and the rate is uncertain. */
const afterGap = (estimate: StateEstimate, level: number, correlatedNoise: CorrelatedNoise): StateEstimate => ({
  level,
  rate: estimate.rate,
  drift: 0,
  correlatedNoise: 0,
  covariance: [
    0.05 ** 2,
    0,
    0,
    0,
    Math.max(estimate.covariance[4], 0.3 ** 2),
    0,
    0,
    0.3 ** 2,
    0,
    correlatedNoise.variance,
  ],
});

/** Updates both modes with the reading. The variance of an outlier grows with the square of its deviation. */
function updateModes(parameters: GrowthRateParameters, innovation: Innovation): Modes {
  const { modes, distance, deviations, isOutlier, isGap, expected, whiteVariance } = innovation;
  const inflation = isOutlier ? (deviations / parameters.outlierDeviations) ** 2 : 1;
  const innovationOf = ({ level, correlatedNoise }: StateEstimate): number =>
    distance + expected.level - level - correlatedNoise;
  const prediction = (estimate: StateEstimate): PredictedReading => ({
    innovation: innovationOf(estimate),
    variance: predictedReadingVariance(estimate) + whiteVariance,
  });
  const updated = mapModes(modes, (estimate) => {
    const predicted = predictedReadingVariance(estimate);
    return update(estimate, innovationOf(estimate), (predicted + whiteVariance) * inflation - predicted);
  });
  if (isOutlier || isGap) return updated;
  return {
    ...updated,
    slowModeProbability: updateModeProbability(
      modes.slowModeProbability,
      prediction(modes.slowMode),
      prediction(modes.fastMode),
    ),
  };
}

const clampRates = (modes: Modes, { lowestRate, highestRate }: GrowthRateParameters): Modes =>
  mapModes(modes, (estimate) => ({ ...estimate, rate: Math.min(highestRate, Math.max(lowestRate, estimate.rate)) }));

const warmUpVariance = ({ variances }: WarmUpResult): number =>
  Math.max(minReadingVariance, 1 / Object.values(variances).reduce((sum, variance) => sum + 1 / variance, 0));

function nextReadingVariance(running: RunningFilter, { expected, distance, isOutlier, isGap }: Innovation): number {
  if (isOutlier || isGap || running.disturbedReadings > 0) return running.readingVariance;
  const quiet = warmUpVariance(running.warmUp);
  const shown = Math.min(distance ** 2, 16 * (expected.covariance[0] + running.readingVariance));
  const noise = varianceForgetting * running.readingVariance + (1 - varianceForgetting) * shown;
  return Math.min(maxVarianceRatio * quiet, Math.max(quiet, noise));
}

function nextNoiseModel(
  running: RunningFilter,
  { isOutlier, isGap }: Innovation,
  atMs: number,
  level: number,
): NoiseModel {
  if (isGap) return { ...running.noiseModel, recent: [] };
  if (isOutlier || running.disturbedReadings > 0) return running.noiseModel;
  return updateNoiseModel(running.noiseModel, { atMs, level }, running.estimate.rate);
}

function nextOutliers(running: RunningFilter, { innovation, isOutlier }: Innovation): readonly number[] {
  if (!isOutlier) return [];
  const isSameSide = running.outliers.every((earlier) => Math.sign(earlier) === Math.sign(innovation));
  return isSameSide ? [...running.outliers, innovation] : [innovation];
}

/** Consecutive outliers of one sign: a person or a pump changed the level. The rate stays. */
function detectStep(
  running: RunningFilter,
  parameters: GrowthRateParameters,
  { modes, expected }: Innovation,
  flags: GrowthRateFlag[],
): RunningFilter {
  if (running.outliers.length < parameters.stepOutliers) return running;
  flags.push('step');
  const level = expected.level + median(running.outliers);
  const moved = mapModes(modes, (estimate) =>
    inflateCovariance({ ...estimate, level }, { level: running.readingVariance, rate: 1e-4, drift: 0 }),
  );
  return {
    ...running,
    ...withModes(moved),
    outliers: [],
    noiseModel: { ...running.noiseModel, recent: [] },
  };
}

/** Innovations of one sign, each too small for an outlier: the growth rate changed. */
function detectChange(
  running: RunningFilter,
  parameters: GrowthRateParameters,
  { innovation, deviations }: Innovation,
  flags: GrowthRateFlag[],
): RunningFilter {
  const z = Math.max(-maxCusumStep, Math.min(maxCusumStep, deviations));
  const cusumUp = Math.max(0, running.cusumUp + z - parameters.changeAllowance);
  const cusumDown = Math.max(0, running.cusumDown - z - parameters.changeAllowance);
  if (Math.max(cusumUp, cusumDown) <= parameters.changeThreshold) return { ...running, cusumUp, cusumDown };
  flags.push('changed');
  const level = Math.min(innovation ** 2, 0.05);
  return {
    ...mapEstimates(running, (estimate) => inflateCovariance(estimate, { level, ...changeInflation })),
    cusumUp: 0,
    cusumDown: 0,
  };
}
