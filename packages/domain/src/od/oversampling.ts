import type { Sample } from './hum-regression.ts';

/** How the conversions of one reading are distributed over time. */
export interface OversamplingPlan {
  readonly rounds: number;
  /** Seconds that all rounds together wait. */
  readonly spanS: number;
}

/** Forty rounds in 0.85 s: noise decreases to a sixth, and the LED is on for less than a second. Chosen. */
export const defaultOversampling: OversamplingPlan = { rounds: 40, spanS: 0.85 };

/** The golden ratio's fraction: multiples of it, without their whole part, fill an interval most evenly (Weyl; Knuth 6.4). */
const goldenFraction = 0.618034;

/** With fewer rounds a level and a sinusoid cannot be distinguished from noise. */
const minRounds = 8;

/** The plan for an interval between readings (seconds): a reading takes less than 60 % of it. */
export function oversamplingFor(intervalS: number): OversamplingPlan {
  const share = Math.min(1, (0.6 * intervalS) / defaultOversampling.spanS);
  return {
    rounds: Math.max(minRounds, Math.floor(defaultOversampling.rounds * share)),
    spanS: defaultOversampling.spanS * share,
  };
}

/** Seconds that round `round` (from 0) waits after its conversions; uneven, so that mains hum cannot alias. */
export const slotWaitS = (plan: OversamplingPlan, round: number): number =>
  (plan.spanS / Math.max(1, plan.rounds - 1)) * ((goldenFraction * round) % 1);

/** Time of each round's conversion, in seconds, if one conversion takes `conversionS`. */
export function slotTimes(plan: OversamplingPlan, conversionS: number): number[] {
  const times: number[] = [];
  let timeS = 0;
  for (let round = 0; round < plan.rounds; round += 1) {
    times.push(timeS);
    timeS += conversionS + slotWaitS(plan, round);
  }
  return times;
}

/** A photodiode's voltage during one reading. */
export interface SteadySignal {
  readonly levelV: number;
  /** Standard deviation of a single conversion; conversions are independent. */
  readonly sampleSdV: number;
  readonly mainsAmplitudeV: number;
  readonly mainsHz: number;
  /** Radians at the start of the reading. */
  readonly mainsPhase: number;
}

/** The voltage at a time within the reading; `normal` is a standard normal number. Not clipped, not quantised. */
export const signalAt = (signal: SteadySignal, timeS: number, normal: number): number =>
  signal.levelV +
  signal.mainsAmplitudeV * Math.sin(2 * Math.PI * signal.mainsHz * timeS + signal.mainsPhase) +
  signal.sampleSdV * normal;

/** The samples of a whole reading. */
export const sampleSignal = (signal: SteadySignal, times: readonly number[], normal: () => number): Sample[] =>
  times.map((timeS) => ({ timeS, value: signalAt(signal, timeS, normal()) }));

/** Mean and standard deviation of the level that the regression of a reading finds. */
export interface LevelDistribution {
  readonly meanV: number;
  readonly sdV: number;
}

export interface ConverterLimits {
  /** Voltage of one count; 0: none. */
  readonly stepV: number;
  readonly lowestV: number;
  readonly highestV: number;
}

/**
 * The distribution of the level that `fitHum` (without a prior) finds in a reading of `signal` at `times`, in closed form. The
 * estimate is linear: its mean is the level, and its variance is that of one conversion (quantisation adds step²/12) times the
 * top left element of the inverse normal matrix. `null` where conversions would be clipped: then samples are needed.
 *
 * Ignoring the two extremes increases the standard deviation by the trimming factor: 1.004 to 1.014 in simulations of forty
 * samples with hum from none to three standard deviations.
 */
export function levelDistribution(
  signal: SteadySignal,
  times: readonly number[],
  converter: ConverterLimits,
): LevelDistribution | null {
  const halfRange = signal.mainsAmplitudeV + 5 * signal.sampleSdV;
  if (signal.levelV - halfRange < converter.lowestV || signal.levelV + halfRange > converter.highestV) return null;
  const variance = signal.sampleSdV ** 2 + converter.stepV ** 2 / 12;
  return { meanV: signal.levelV, sdV: Math.sqrt(variance * levelVariance(times, signal.mainsHz) * trimmingFactor) };
}

const trimmingFactor = 1.01;

/** Variance of the fitted level for samples of variance 1. */
function levelVariance(times: readonly number[], mainsHz: number): number {
  let [s, c, ss, sc, cc] = [0, 0, 0, 0, 0];
  for (const timeS of times) {
    const sine = Math.sin(2 * Math.PI * mainsHz * timeS);
    const cosine = Math.cos(2 * Math.PI * mainsHz * timeS);
    s += sine;
    c += cosine;
    ss += sine * sine;
    sc += sine * cosine;
    cc += cosine * cosine;
  }
  const n = times.length;
  const minor = ss * cc - sc * sc;
  return minor / (n * minor - s * (s * cc - sc * c) + c * (s * sc - ss * c));
}
