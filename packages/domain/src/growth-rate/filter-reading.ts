import { hourMs, minuteMs } from '@lcs/contract/durations';
import {
  addDose,
  isSettled,
  levelWithoutDose,
  nextLogOdds,
  type PendingDose,
  usualLogOdds,
  weighDose,
} from './dose-hypothesis.ts';
import {
  combined,
  combinedLevel,
  excessScatter,
  type FilterBank,
  freshBank,
  movedProbability,
  predictBank,
  updateBank,
} from './filter-bank.ts';
import { type GrowthRateParameters, mostGrowthRateSd } from './growth-rate-parameters.ts';
import { initialNoiseModel, type NoiseModel, shiftNoiseModel, splitNoise, updateNoiseModel } from './noise-model.ts';
import { addRealised, forgetPast, initialRealisedErrors, type RealisedErrors, shiftPast } from './realised-errors.ts';
import { levelDeviation, predictedReading, predictedVariance, type StateEstimate } from './state-estimate.ts';
import type { WarmUpResult } from './warm-up.ts';

/** State of the filter after the warm-up. Plain data. */
export interface RunningFilter {
  readonly warmUp: Pick<WarmUpResult, 'factors' | 'variances'>;
  readonly bank: FilterBank;
  /** Time of the newest reading. */
  readonly atMs: number;
  readonly noiseModel: NoiseModel;
  readonly realised: RealisedErrors;
  /** The newest dose, until it is known whether it arrived. */
  readonly pending: PendingDose | null;
  /** ln of the odds that the next dose arrives. */
  readonly doseLogOdds: number;
  /** Uncertainty of ln OD from mixing and from the time of a recent dose, standard deviation. */
  readonly mixing: number;
  /** When it became known that a dose had not arrived. */
  readonly unseenAtMs: number | null;
  /** The level has jumped, and is not known to stay. */
  readonly move?: LevelMove;
  /** The signal has come out of its noise, and the rate is not known well enough yet. */
  readonly emerging?: true;
}

/** What was known before a jump of the level, and the newest jump. */
interface LevelMove {
  readonly atMs: number;
  readonly level: number;
  readonly rate: number;
  readonly newestMs: number;
}

/** Exceptional conditions of one reading. */
export type GrowthRateFlag = 'outlier' | 'step' | 'gap' | 'disturbed' | 'dose_unseen' | 'rate_beyond_model';

/** Flags that accompany the published values. */
const publishedFlags = ['outlier', 'dose_unseen', 'rate_beyond_model'] as const;
type PublishedGrowthFlag = (typeof publishedFlags)[number];
export const isPublishedGrowthFlag = (flag: GrowthRateFlag): flag is PublishedGrowthFlag =>
  publishedFlags.some((one) => one === flag);

export interface GrowthRateEstimate {
  readonly atMs: number;
  /** Per hour. */
  readonly rate: number;
  /** Standard deviation of the rate, per hour. */
  readonly rateSd: number;
  /** Multiple of the OD at the start. */
  readonly normalizedOd: number;
  /** Standard deviation of ln of it; of a later time, that of the forecast. */
  readonly levelSd: number;
  readonly flags: readonly GrowthRateFlag[];
}

/** Standard deviations at the start: ln OD at least, rate (h⁻¹) and drift (h⁻²). */
const initialDeviations = { level: 0.02, rate: 0.3, drift: 0.05 } as const;
/**
 * The rate at the start has a smaller deviation where readings scatter: a signal that starts near its background rises by drifts, and
 * a culture that thin is hardly past its lag. Least deviation, and decrease by scatter (h⁻¹). Chosen (measured batches).
 */
const leastRateDeviation = 0.12;
const rateDeviationFall = 3;

/**
 * Multiple of a dose by which a reading at its announcement may be off, and the time within which that decays. A dose is announced when
 * its pump starts: readings of the next 10 s show any part of it (1 ml takes 11 s, mixing 3 s), and always less than all. Counted as
 * readings with an error of both signs they made the common gain, and with it the rate, too small by 2 %. Chosen
 * (`growth-turbidostat`): they count for nothing, those after 15 s almost fully.
 */
const mixingShare = 8;
const mixingTimeMs = 4_000;

/** Time for which estimates are flagged after a dose that did not arrive. */
const unseenFlagMs = 300_000;

/** Standard deviation of a reading to which `outlierDeviations` refers. */
const typicalDeviation = 0.005;

/** Density of outliers, per unit of ln OD: at the threshold a reading counts one per cent. */
const outlierDensityOf = ({ outlierDeviations }: GrowthRateParameters): number =>
  (99 * Math.exp(-(outlierDeviations ** 2) / 2)) / (Math.sqrt(2 * Math.PI) * typicalDeviation);

/**
 * A filter that starts at a level with a given variance of its readings. `emerging`: of a signal that has come out of its noise, which
 * cells do that grow.
 */
export function startFilter(
  warmUp: WarmUpResult,
  { rate, emerging }: { readonly rate: number; readonly emerging: boolean },
  parameters: GrowthRateParameters,
): RunningFilter {
  const variance = 1 / Object.values(warmUp.variances).reduce((sum, one) => sum + 1 / one, 0);
  return {
    warmUp: { factors: warmUp.factors, variances: warmUp.variances },
    bank: bankAt(
      { level: warmUp.level, rate, variance, rateDeviation: emerging ? initialDeviations.rate : usualStart(variance) },
      { gain: 0, gainVariance: parameters.gainDeviation ** 2 },
    ),
    atMs: warmUp.atMs,
    noiseModel: initialNoiseModel(variance),
    realised: initialRealisedErrors,
    pending: null,
    doseLogOdds: usualLogOdds,
    mixing: 0,
    unseenAtMs: null,
    ...(emerging && { emerging }),
  };
}

/**
 * Scatter of ln OD (standard deviation) from which on down a signal is clear enough for a first rate, if the rate is known well; and far
 * from its noise, whatever is known of the rate. Chosen; the former is that of growth curves.
 */
const clearEnough = 0.15;
const farFromNoise = 0.05;

/** Whether a filter that started at the noise has nothing to show yet. */
export function isEmerging({ emerging, noiseModel: { stepVariance } }: RunningFilter, rateSd: number): boolean {
  if (emerging !== true || stepVariance <= farFromNoise ** 2) return false;
  return rateSd > mostGrowthRateSd || stepVariance > clearEnough ** 2;
}

interface Gain {
  readonly gain: number;
  readonly gainVariance: number;
}

interface Start {
  readonly level: number;
  readonly rate: number;
  /** Of the readings. */
  readonly variance: number;
  readonly rateDeviation: number;
}

const usualStart = (variance: number): number =>
  Math.max(leastRateDeviation, initialDeviations.rate - rateDeviationFall * excessScatter(variance));

const bankAt = ({ level, rate, variance, rateDeviation }: Start, { gain, gainVariance }: Gain): FilterBank =>
  freshBank((slowVariance) => {
    const levelVariance = Math.max(initialDeviations.level ** 2, variance);
    const rateVariance = rateDeviation ** 2;
    return {
      level,
      rate,
      drift: 0,
      fastNoise: 0,
      slowNoise: 0,
      gain,
      covariance: [
        ...([levelVariance, 0, 0, 0, 0, 0, rateVariance, 0, 0, 0, 0] as const),
        ...([initialDeviations.drift ** 2, 0, 0, 0, 0, 0, 0, slowVariance, 0, gainVariance] as const),
      ],
    };
  });

/** The estimate under the more probable of both hypotheses about the newest dose. */
export const currentEstimate = ({ bank, pending }: RunningFilter): StateEstimate =>
  combined(pending !== null && pending.logOdds < 0 ? pending.withoutDose : bank);

/** Updates the filter with ln OD of one reading. `atMs` must be later than the previous one. */
export function filterReading(
  earlier: RunningFilter,
  parameters: GrowthRateParameters,
  atMs: number,
  level: number,
): { readonly running: RunningFilter; readonly estimate: GrowthRateEstimate } {
  const hours = (atMs - earlier.atMs) / hourMs;
  const isGap = hours > parameters.gapH;
  const running = isGap ? afterGap(earlier, level) : earlier;
  const noise = splitNoise(running.noiseModel, hours);
  const noiseVariance = noise.whiteVariance + running.mixing ** 2;
  const outlierDensity = outlierDensityOf(parameters);
  const predicted = isGap ? running.bank : predictBank(running.bank, hours, noise, parameters);
  const expected = combined(predicted);
  const { bank, logLikelihood } = updateBank(predicted, level, noiseVariance, outlierDensity);
  let deviations = deviationsOf(expected, level, noiseVariance);
  let { pending } = running;
  if (pending !== null) {
    const without = predictBank(pending.withoutDose, hours, noise, parameters);
    const other = updateBank(without, level, noiseVariance, outlierDensity);
    deviations = Math.min(deviations, deviationsOf(combined(without), level, noiseVariance));
    pending = weighDose(pending, other.bank, logLikelihood - other.logLikelihood);
  }
  const flags: GrowthRateFlag[] = isGap ? ['gap'] : [];
  const isOutlier = deviations > parameters.outlierDeviations;
  if (isOutlier) flags.push('outlier');
  if (running.mixing > 0) flags.push('disturbed');
  const mixing = running.mixing * Math.exp((-hours * hourMs) / mixingTimeMs);
  const updated = settleDose({ ...running, atMs, bank, pending, mixing: mixing < 1e-4 ? 0 : mixing });
  const moved = settleMove(followMove(updated, expected, flags));
  const estimate = currentEstimate(moved);
  // While the common error of doses is not known, the past that they moved is wrong by it, and so is the slope.
  const { own, ofGain } = rateVariances(estimate);
  const rate = { atMs, rate: estimate.rate, rateSd: Math.sqrt(own + ofGain) };
  // A dose that is not mixed yet says nothing about the noise.
  const isMixed = running.mixing ** 2 <= noise.whiteVariance;
  const next = {
    ...moved,
    ...(isMixed && { noiseModel: updateNoiseModel(moved.noiseModel, { atMs, level }, estimate.rate) }),
    realised: moved.move ? moved.realised : addRealised(moved.realised, isOutlier ? undefined : level, rate),
  };
  return { running: next, estimate: reported(next, parameters, atMs, estimate, flags) };
}

/** The estimate for a time after the newest reading: for readings that the filter does not use. */
export function estimateAt(running: RunningFilter, parameters: GrowthRateParameters, atMs: number): GrowthRateEstimate {
  const hours = (atMs - running.atMs) / hourMs;
  const noise = splitNoise(running.noiseModel, hours);
  const { bank, pending } = running;
  const likely = pending !== null && pending.logOdds < 0 ? pending.withoutDose : bank;
  return reported(running, parameters, atMs, combined(predictBank(likely, hours, noise, parameters)), []);
}

/** Adds a dose, whose announced volume changes ln OD by `shift`. */
export function doseFilter(running: RunningFilter, parameters: GrowthRateParameters, shift: number): RunningFilter {
  const isContinued = running.pending !== null && running.pending.readings === 0;
  const before = isContinued ? running : settleDose(running, true);
  const { bank, pending } = addDose(before.bank, before.pending, shift, before.doseLogOdds, running.atMs, parameters);
  // The past moves by what the dose is expected to change, with the known error of the pump.
  const change = combinedLevel(bank) - combinedLevel(before.bank);
  return {
    ...shifted(before, change),
    bank,
    pending,
    mixing: mixingShare * Math.abs(pending.shift),
  };
}

/** Moves the past of the signal by a change of ln OD that is not growth. */
const shifted = (running: RunningFilter, shift: number): RunningFilter => ({
  ...running,
  noiseModel: shiftNoiseModel(running.noiseModel, shift),
  realised: shiftPast(running.realised, shift),
  ...(running.move && { move: { ...running.move, level: running.move.level + shift } }),
});

/** Decides whether the pending dose arrived, once that is clear. */
function settleDose(running: RunningFilter, isForced = false): RunningFilter {
  const { pending, bank, atMs, doseLogOdds } = running;
  if (pending === null || !(isForced || isSettled(pending, atMs))) return running;
  if (pending.logOdds >= 0) return { ...running, pending: null, doseLogOdds: nextLogOdds(true, doseLogOdds) };
  return {
    ...shifted(running, levelWithoutDose(bank, pending)),
    bank: pending.withoutDose,
    pending: null,
    doseLogOdds: nextLogOdds(false, doseLogOdds),
    unseenAtMs: atMs,
  };
}

/** A reading that a jump of the level explains. */
function followMove(running: RunningFilter, expected: StateEstimate, flags: GrowthRateFlag[]): RunningFilter {
  if (movedProbability(running.bank) <= 0.5) return running;
  flags.push('step');
  const { atMs } = running;
  const before = running.move ?? { atMs, level: expected.level, rate: expected.rate };
  return { ...running, noiseModel: { ...running.noiseModel, recent: [] }, move: { ...before, newestMs: atMs } };
}

/** Bubbles come and go: whether the level stays is decided so long after the newest jump, and at the latest. Chosen. */
const moveSettledMs = 2 * minuteMs;
const longestMoveMs = 20 * minuteMs;
/** A smaller change of the level than this, or than so many deviations of a reading, is none. Chosen. */
const leastMove = { change: 0.04, deviations: 2 } as const;

/** If a person or a pump moved the level, its past moves with it; after bubbles it is where it was. */
function settleMove({ move, ...running }: RunningFilter): RunningFilter {
  if (move === undefined) return running;
  const { atMs, noiseModel } = running;
  if (atMs - move.newestMs < moveSettledMs && atMs - move.atMs < longestMoveMs) return { ...running, move };
  const change = currentEstimate(running).level - move.level - (move.rate * (atMs - move.atMs)) / hourMs;
  const least = Math.max(leastMove.change, leastMove.deviations * Math.sqrt(noiseModel.stepVariance));
  return Math.abs(change) < least ? running : { ...running, realised: shiftPast(running.realised, change) };
}

/** After a gap the level is that of the reading, and the rate is uncertain; what is known of pump and noise stays. */
function afterGap({ move: _, ...running }: RunningFilter, level: number): RunningFilter {
  const { rate, gain, covariance } = currentEstimate(running);
  const { noiseModel } = running;
  const variance = 4 * noiseModel.stepVariance;
  const start = { level, rate, variance, rateDeviation: usualStart(variance) };
  const bank = bankAt(start, { gain, gainVariance: covariance[20] });
  return {
    ...running,
    bank,
    noiseModel: { ...noiseModel, recent: [] },
    realised: forgetPast(running.realised),
    pending: null,
    mixing: 0,
  };
}

const deviationsOf = (expected: StateEstimate, level: number, noiseVariance: number): number =>
  Math.abs(level - predictedReading(expected)) / Math.sqrt(predictedVariance(expected) + noiseVariance);

/**
 * The variance of the rate that is due to the common error of the doses, and the rest. Realised errors do not show the former:
 * rate and slope have it in common.
 */
function rateVariances({ covariance }: StateEstimate): { readonly own: number; readonly ofGain: number } {
  const [rr, rg, gg] = [covariance[6], covariance[10], covariance[20]];
  const ofGain = Math.min(rr, rg ** 2 / gg);
  return { own: rr - ofGain, ofGain };
}

/** Scatter of the readings (ln OD) from which on they say nothing about the rate. Chosen. */
const hopelessDeviation = 0.3;

/**
 * Near the background the logarithm is biased: by half the variance of the readings, and because those of 0 and below are missing.
 * Both fade while the culture grows, which the rate contains; realised errors have it in common with the rate and do not show it.
 */
const biasDeviation = ({ stepVariance }: NoiseModel, usualRateDeviation: number): number =>
  usualRateDeviation * Math.min(1, stepVariance / hopelessDeviation ** 2);

function reported(
  { realised, pending, unseenAtMs, noiseModel }: RunningFilter,
  { lowestRate, highestRate, usualRateDeviation }: GrowthRateParameters,
  atMs: number,
  estimate: StateEstimate,
  flags: readonly GrowthRateFlag[],
): GrowthRateEstimate {
  const { level, rate } = estimate;
  const { own, ofGain } = rateVariances(estimate);
  const isUnseen =
    (pending !== null && pending.logOdds < 0) || (unseenAtMs !== null && atMs - unseenAtMs <= unseenFlagMs);
  const isBeyond = rate < lowestRate || rate > highestRate;
  return {
    atMs,
    rate,
    rateSd: Math.hypot(Math.sqrt(realised.scale ** 2 * own + ofGain), biasDeviation(noiseModel, usualRateDeviation)),
    normalizedOd: Math.exp(level),
    levelSd: realised.scale * levelDeviation(estimate),
    flags: [
      ...flags,
      ...(isUnseen ? (['dose_unseen'] as const) : []),
      ...(isBeyond ? (['rate_beyond_model'] as const) : []),
    ],
  };
}
