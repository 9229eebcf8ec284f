import type { StateEstimate } from './kalman.ts';

/**
 * Interacting multiple model (IMM) filter with two modes over the same readings: a slow one with a nearly steady growth rate
 * and a fast one with a changing rate (Blom and Bar-Shalom, IEEE Trans. AC-33, 1988). Plain data.
 */
export interface Modes {
  readonly slowMode: StateEstimate;
  readonly fastMode: StateEstimate;
  /** Probability that the slow mode is the true one. */
  readonly slowModeProbability: number;
}

/** Factor of each mode on the drift variance of the parameters. Chosen (growth bench). */
export const driftScaleOf = { slowMode: 0.1, fastMode: 15 } as const;

/** Transition rates between the modes, per hour. Chosen (growth bench). */
const slowToFastPerHour = 0.15;
const fastToSlowPerHour = 1;

/** Lower limit of the probability of each mode, so that neither is ever lost. */
const minProbability = 0.001;

export const initialModes = (estimate: StateEstimate): Modes => ({
  slowMode: estimate,
  fastMode: estimate,
  slowModeProbability: 0.9,
});

/** Applies the same change to the estimate of each mode. */
export const mapModes = (
  { slowMode, fastMode, slowModeProbability }: Modes,
  change: (estimate: StateEstimate) => StateEstimate,
): Modes => ({
  slowMode: change(slowMode),
  fastMode: change(fastMode),
  slowModeProbability,
});

/** The combined estimate: weighted mean, and covariance including the spread between the modes. */
export const combine = ({ slowMode, fastMode, slowModeProbability }: Modes): StateEstimate =>
  mixture(slowMode, fastMode, slowModeProbability);

/** The mixing step: either mode may have changed into the other within `hours`. */
export function mix({ slowMode, fastMode, slowModeProbability }: Modes, hours: number): Modes {
  const [beginning, ending] = [1 - Math.exp(-slowToFastPerHour * hours), 1 - Math.exp(-fastToSlowPerHour * hours)];
  const share = slowModeProbability * (1 - beginning) + (1 - slowModeProbability) * ending;
  return {
    slowMode: mixture(slowMode, fastMode, (slowModeProbability * (1 - beginning)) / share),
    fastMode: mixture(slowMode, fastMode, (slowModeProbability * beginning) / (1 - share)),
    slowModeProbability: share,
  };
}

/** The innovation of one mode, and its predicted variance. */
export interface PredictedReading {
  readonly innovation: number;
  readonly variance: number;
}

/** The probability of the slow mode after a reading, by Bayes' rule. */
export function updateModeProbability(probability: number, slow: PredictedReading, fast: PredictedReading): number {
  const [one, other] = [probability * likelihood(slow), (1 - probability) * likelihood(fast)];
  const posterior = one + other > 0 ? one / (one + other) : probability;
  return Math.min(1 - minProbability, Math.max(minProbability, posterior));
}

/** Limit of one innovation in standard deviations, so that a single outlier does not decide. */
const maxDeviations = 4;

function likelihood({ innovation, variance }: PredictedReading): number {
  const deviations = Math.min(maxDeviations, Math.abs(innovation) / Math.sqrt(variance));
  return Math.exp(-(deviations ** 2) / 2) / Math.sqrt(variance);
}

function mixture(one: StateEstimate, other: StateEstimate, share: number): StateEstimate {
  const rest = 1 - share;
  const mean = (a: number, b: number): number => share * a + rest * b;
  const [l, r, d, s] = [
    one.level - other.level,
    one.rate - other.rate,
    one.drift - other.drift,
    one.correlatedNoise - other.correlatedNoise,
  ];
  const [all, als, ald, alw, arr, ard, arw, add, adw, aww] = one.covariance;
  const [bll, bls, bld, blw, brr, brd, brw, bdd, bdw, bww] = other.covariance;
  const apart = share * rest;
  return {
    level: mean(one.level, other.level),
    rate: mean(one.rate, other.rate),
    drift: mean(one.drift, other.drift),
    correlatedNoise: mean(one.correlatedNoise, other.correlatedNoise),
    covariance: [
      mean(all, bll) + apart * l * l,
      mean(als, bls) + apart * l * r,
      mean(ald, bld) + apart * l * d,
      mean(alw, blw) + apart * l * s,
      mean(arr, brr) + apart * r * r,
      mean(ard, brd) + apart * r * d,
      mean(arw, brw) + apart * r * s,
      mean(add, bdd) + apart * d * d,
      mean(adw, bdw) + apart * d * s,
      mean(aww, bww) + apart * s * s,
    ],
  };
}
