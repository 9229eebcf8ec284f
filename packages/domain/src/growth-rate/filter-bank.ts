import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import {
  type CorrelatedNoise,
  mixture,
  mixtureOfTwo,
  type ProcessModel,
  predict,
  predictedReading,
  predictedVariance,
  type StateEstimate,
  update,
} from './state-estimate.ts';

/**
 * Interacting multiple model (IMM) filter (Blom and Bar-Shalom, IEEE Trans. AC-33, 1988): estimates under each combination of
 * a course of the culture (`courses`) and a strength of the slow noise (`slowNoises`), and their probabilities. Plain data.
 */
export interface FilterBank {
  readonly estimates: readonly StateEstimate[];
  readonly probabilities: readonly number[];
}

/** What may be going on in the vial. All chosen (growth and growth-signals benches, measured series). */
interface Course {
  /** Variance per hour of the rate, h⁻², of its drift, h⁻⁴, and of ln OD. */
  readonly rateVariance: number;
  readonly driftVariance: number;
  readonly levelVariance: number;
  /** Transitions out of this course per hour; share of all transitions that lead to it. */
  readonly leaving: number;
  readonly entering: number;
}

/** A steady rate, a changing rate, a sudden change of the rate, and liquid or vial moved: ln OD changes and the rate does not. */
const courses: readonly Course[] = [
  { rateVariance: 2e-4, driftVariance: 1e-3, levelVariance: 0, leaving: 0.3, entering: 0.68 },
  { rateVariance: 0.03, driftVariance: 0.05, levelVariance: 0, leaving: 1, entering: 0.25 },
  { rateVariance: 0.5, driftVariance: 0.1, levelVariance: 0, leaving: 6, entering: 0.05 },
  { rateVariance: 0, driftVariance: 0, levelVariance: 1, leaving: 0, entering: 0.02 },
];
const steadyCourse = 0;
const movedCourse = 3;
/** Transitions per hour from moved to steady: a hand or a pump does not change how the culture grows. */
const movedLeaving = 30;

/**
 * Strengths of the slow noise of ln OD that are considered; a time constant between those of a stirrer and a room. In slow noise
 * the rate is followed with less process noise: each change of the noise would look like growth. Strong noise is rare, so that the
 * end of growth is not taken for it. Chosen (growth-signals bench, measured series).
 */
interface SlowNoise {
  readonly deviation: number;
  /** Factor on the process noise of rate and drift. */
  readonly caution: number;
  /** Share of all transitions between the strengths that lead to it. */
  readonly entering: number;
}
const slowNoises: readonly SlowNoise[] = [
  { deviation: 0.001, caution: 1, entering: 0.4 },
  { deviation: 0.005, caution: 0.3, entering: 0.4 },
  { deviation: 0.025, caution: 1, entering: 0.2 },
];
const slowTimeH = 8 / 60;
/** Transitions between the strengths of the slow noise, per hour. */
const noiseLeaving = 0.3;

/**
 * Readings scatter by more than this only near the background of the signal, where everything that is added to the light of the
 * cells counts relative to little. It drifts, too: by this share of what the readings scatter beyond, over this time. The drift is
 * noise in all combinations. Chosen (measured batches with blanked readings).
 */
const clearDeviation = 0.03;
const backgroundDriftShare = 0.3;
const backgroundTimeH = 0.3;

/** What readings with this variance scatter beyond what they do clear of the background; standard deviations of ln OD. */
export const excessScatter = (whiteVariance: number): number => Math.max(0, Math.sqrt(whiteVariance) - clearDeviation);

/** Lower limit of a probability, so that no combination is ever lost. */
const minProbability = 1e-6;

/** Longest time of one transition step, hours. */
const longestStepH = 1;

/** Number of combinations. */
export const bankSize = courses.length * slowNoises.length;
const indexOf = (course: number, noise: number): number => course * slowNoises.length + noise;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** All combinations start from the same estimate. */
export function freshBank(estimate: (slowVariance: number) => StateEstimate): FilterBank {
  const estimates: StateEstimate[] = [];
  const probabilities: number[] = [];
  for (const { entering } of courses)
    for (const { deviation } of slowNoises) {
      estimates.push(estimate(deviation ** 2));
      probabilities.push(entering / slowNoises.length);
    }
  return { estimates, probabilities };
}

export const combined = ({ estimates, probabilities }: FilterBank): StateEstimate => mixture(estimates, probabilities);

/** `combined(bank).level`. */
export function combinedLevel({ estimates, probabilities }: FilterBank): number {
  const total = sum(probabilities);
  return estimates.reduce(
    (level, estimate, index) => level + ((probabilities[index] ?? 0) / total) * estimate.level,
    0,
  );
}

export const mapBank = (bank: FilterBank, change: (estimate: StateEstimate) => StateEstimate): FilterBank => ({
  ...bank,
  estimates: bank.estimates.map(change),
});

/** Probability that liquid or vial were moved. */
export const movedProbability = ({ probabilities }: FilterBank): number =>
  sum(slowNoises.map((_, noise) => probabilities[indexOf(movedCourse, noise)] ?? 0));

/** Groups of combinations between which transitions happen: those with equal noise, and those with equal course. */
const groupsByNoise = slowNoises.map((_, noise) => courses.map((_course, course) => indexOf(course, noise)));
const groupsByCourse = courses.map((_, course) => slowNoises.map((_noise, noise) => indexOf(course, noise)));

/** The mixing step of one kind of transition: what leaves is pooled, and the pool enters by the given shares. */
function mix(
  bank: FilterBank,
  groups: readonly (readonly number[])[],
  leaving: readonly number[],
  entering: readonly number[],
  hours: number,
): FilterBank {
  const estimates = bank.estimates.slice();
  const probabilities = bank.probabilities.slice();
  const leavingShares = leaving.map((rate) => 1 - Math.exp(-rate * hours));
  for (const group of groups) {
    const members: StateEstimate[] = [];
    const outflows: number[] = [];
    for (let own = 0; own < group.length; own += 1) {
      const index = group[own] ?? 0;
      const member = bank.estimates[index];
      if (member === undefined) continue;
      members.push(member);
      outflows.push((bank.probabilities[index] ?? 0) * (leavingShares[own] ?? 0));
    }
    const total = sum(outflows);
    const pool = pooled(members, outflows);
    for (let own = 0; own < members.length; own += 1) {
      const index = group[own] ?? 0;
      const member = members[own];
      const inflow = (entering[own] ?? 0) * total;
      const remaining = (bank.probabilities[index] ?? 0) - (outflows[own] ?? 0);
      probabilities[index] = remaining + inflow;
      // Without an inflow it would be the member itself.
      if (member !== undefined && inflow > 0) estimates[index] = mixtureOfTwo(member, pool, remaining, inflow);
    }
  }
  return { estimates, probabilities };
}

/** What leaves; of a group that only one member leaves, that member. */
function pooled(members: readonly StateEstimate[], outflows: readonly number[]): StateEstimate {
  const [first] = members;
  const leavesAlone = first !== undefined && outflows.every((outflow, own) => own === 0 || outflow === 0);
  return leavesAlone ? first : mixture(members, outflows);
}

const groupsOfMoved = slowNoises.map((_, noise) => [indexOf(movedCourse, noise), indexOf(steadyCourse, noise)]);

const leavingCourse = courses.map(({ leaving }) => leaving);
const enteringCourse = courses.map(({ entering }) => entering);
const leavingNoise = slowNoises.map(() => noiseLeaving);
const enteringNoise = slowNoises.map(({ entering }) => entering);

/** Noise of the readings: the white part, and the fast process. */
interface ReadingNoise {
  readonly whiteVariance: number;
  readonly correlated: CorrelatedNoise;
}

/**
 * In a signal with more than this density of white noise (variance of ln OD times the seconds between readings) the process
 * noise of the rate falls with this power of the density: fast changes cannot be distinguished from the noise. Chosen (measured series).
 */
const clearDensity = 2e-3;
const cautionExponent = 1 / 3;

/** The prediction step of all combinations, after the transitions of the time that passed. */
export function predictBank(
  bank: FilterBank,
  hours: number,
  { whiteVariance, correlated }: ReadingNoise,
  parameters: GrowthRateParameters,
): FilterBank {
  const stepH = Math.min(longestStepH, hours);
  const byCourse = mix(bank, groupsByNoise, leavingCourse, enteringCourse, stepH);
  const returned = mix(byCourse, groupsOfMoved, [movedLeaving, 0], [0, 1], stepH);
  const { estimates, probabilities } = mix(returned, groupsByCourse, leavingNoise, enteringNoise, stepH);
  const density = 3600 * hours * whiteVariance;
  const caution = density > clearDensity ? (clearDensity / density) ** cautionExponent : 1;
  const drift = backgroundDriftShare * excessScatter(whiteVariance);
  const processes = processesOf(correlated, drift, parameters, caution * parameters.rateVarianceScale);
  return {
    probabilities,
    estimates: estimates.map((estimate, index) => {
      const process = processes[index];
      return process === undefined ? estimate : predict(estimate, hours, process);
    }),
  };
}

/** The slow noise and the drift of the background as one process: their variances add up, its time lies between theirs. */
function slowProcess(deviation: number, drift: number): CorrelatedNoise {
  const [own, ofDrift] = [deviation ** 2, drift ** 2];
  const variance = own + ofDrift;
  return { variance, timeH: (own * slowTimeH + ofDrift * backgroundTimeH) / variance };
}

function processesOf(
  fast: CorrelatedNoise,
  drift: number,
  parameters: GrowthRateParameters,
  rateVarianceScale: number,
): readonly ProcessModel[] {
  const slow = slowNoises.map(({ deviation }) => slowProcess(deviation, drift));
  return courses.flatMap((course) =>
    slowNoises.map(({ caution }, noise) => ({
      levelVariance: parameters.levelVariance + course.levelVariance,
      rateVariance: course.rateVariance * rateVarianceScale * caution,
      driftVariance: course.driftVariance * rateVarianceScale * caution,
      gainVariance: parameters.gainVariance,
      usualRate: parameters.usualRate,
      usualRateVariance: parameters.usualRateDeviation ** 2,
      fast,
      slow: slow[noise] ?? fast,
    })),
  );
}

/** Updates all combinations with ln OD of one reading. Gives the ln of its probability density, too. */
export function updateBank(
  { estimates, probabilities }: FilterBank,
  level: number,
  whiteVariance: number,
  outlierDensity: number,
): { readonly bank: FilterBank; readonly logLikelihood: number } {
  const updated: StateEstimate[] = new Array<StateEstimate>(bankSize);
  const posterior: number[] = new Array<number>(bankSize);
  let total = 0;
  estimates.forEach((estimate, index) => {
    const innovation = level - predictedReading(estimate);
    const variance = predictedVariance(estimate) + whiteVariance;
    const density = Math.exp(-(innovation * innovation) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
    updated[index] = update(estimate, innovation, variance, density / (density + outlierDensity));
    const weight = (probabilities[index] ?? 0) * (density + outlierDensity);
    posterior[index] = weight;
    total += weight;
  });
  const limited = posterior.map((weight) => Math.max(minProbability, weight / total));
  const all = sum(limited);
  return {
    bank: { estimates: updated, probabilities: limited.map((weight) => weight / all) },
    logLikelihood: Math.log(total),
  };
}
