import { hourMs, minuteMs } from '@lcs/contract/durations';
import { median } from './robust-statistics.ts';

/** A mean of ln OD of some readings. */
interface Block {
  readonly atMs: number;
  readonly level: number;
  readonly readings: number;
}

/** A rate as it was estimated at a time. */
interface EarlierRate {
  readonly atMs: number;
  readonly rate: number;
  readonly rateSd: number;
}

/**
 * Calibration of the reported standard deviation on realised errors: an estimated rate is compared with the slope of ln OD
 * about its time, half a window later. Plain data.
 */
export interface RealisedErrors {
  /** Factor from the filter's own standard deviation of the rate to the reported one. */
  readonly scale: number;
  /** Number of comparisons so far. */
  readonly comparisons: number;
  readonly nextMs: number;
  /** Oldest first. */
  readonly blocks: readonly Block[];
  readonly rates: readonly EarlierRate[];
}

/**
 * Time over which the slope is fitted: growth is about straight, and noise averages out. Rare readings need a longer one, or the error
 * of the slope would hide that of the rate. Chosen.
 */
const shortestWindowMs = 50 * minuteMs;
const longestWindowMs = 100 * minuteMs;
const blocksPerWindow = 20;
const blockMs = 2 * minuteMs;
const everyMs = 5 * minuteMs;
/** Fewer blocks, or blocks over a smaller share of the window, give no slope. */
const fewestBlocks = 8;
const leastSpan = 0.75;

/** Share of the errors that shall exceed one standard deviation. */
const missShare = 0.32;
/** Change of ln of the scale by one comparison: at first and later. Chosen. */
const firstGain = 0.3;
const lastGain = 0.06;
const halvedAfter = 5;
const scaleRange = [0.2, 8] as const;
/** The process noise is larger than that of most cultures, so that the filter follows changes. Chosen. */
const firstScale = 0.6;

export const initialRealisedErrors: RealisedErrors = {
  scale: firstScale,
  comparisons: 0,
  nextMs: 0,
  blocks: [],
  rates: [],
};

/** After a gap: the past is not comparable, the scale stays. */
export const forgetPast = (errors: RealisedErrors): RealisedErrors => ({ ...errors, blocks: [], rates: [] });

/** After a dose or a step: shifts the past by the change of ln OD. */
export const shiftPast = (errors: RealisedErrors, shift: number): RealisedErrors => ({
  ...errors,
  blocks: errors.blocks.map((block) => ({ ...block, level: block.level + shift })),
});

/** Adds ln OD of one reading and what was estimated after it; `level` undefined: an outlier. */
export function addRealised(
  errors: RealisedErrors,
  level: number | undefined,
  { atMs, rate, rateSd }: EarlierRate,
): RealisedErrors {
  const blocks = level === undefined ? errors.blocks : withReading(errors.blocks, atMs, level);
  if (atMs < errors.nextMs) return { ...errors, blocks };
  const windowMs = windowOf(blocks);
  const kept = blocks.filter((block) => atMs - block.atMs <= windowMs);
  const rates = [...errors.rates.filter((one) => atMs - one.atMs <= windowMs), { atMs, rate, rateSd }];
  return compare({ ...errors, blocks: kept, rates, nextMs: atMs + everyMs }, windowMs);
}

/** By the usual distance of blocks: a pause between readings is no lack of them. */
function windowOf(blocks: readonly Block[]): number {
  const spacingMs = median(blocks.slice(1).map(({ atMs }, index) => atMs - (blocks[index]?.atMs ?? atMs)));
  return Math.min(longestWindowMs, Math.max(shortestWindowMs, blocksPerWindow * (spacingMs || 0)));
}

function withReading(blocks: readonly Block[], atMs: number, level: number): readonly Block[] {
  const last = blocks.at(-1);
  if (last === undefined || Math.floor(last.atMs / blockMs) !== Math.floor(atMs / blockMs))
    return [...blocks, { atMs, level, readings: 1 }];
  const readings = last.readings + 1;
  const joined = {
    atMs: last.atMs + (atMs - last.atMs) / readings,
    level: last.level + (level - last.level) / readings,
    readings,
  };
  return [...blocks.slice(0, -1), joined];
}

/**
 * Adaptive conformal inference (Gibbs and Candès, NeurIPS 2021): each error beyond one standard deviation raises the scale, each
 * error within it lowers it, such that in the long run the wanted share is within.
 */
function compare(errors: RealisedErrors, windowMs: number): RealisedErrors {
  const { blocks, rates, scale } = errors;
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined || blocks.length < fewestBlocks) return errors;
  if (last.atMs - first.atMs < leastSpan * windowMs) return errors;
  const middleMs = (first.atMs + last.atMs) / 2;
  const earlier = rates.find(({ atMs }) => Math.abs(atMs - middleMs) <= everyMs / 2);
  if (earlier === undefined) return errors;
  const { slope, slopeSd } = slopeOf(blocks);
  const isMissed = Math.abs(earlier.rate - slope) > Math.hypot(scale * earlier.rateSd, slopeSd);
  const comparisons = errors.comparisons + 1;
  const gain = Math.max(lastGain, firstGain / (1 + comparisons / halvedAfter));
  const [least, most] = scaleRange;
  const next = scale * Math.exp(gain * ((isMissed ? 1 : 0) - missShare));
  return { ...errors, comparisons, scale: Math.min(most, Math.max(least, next)) };
}

/** Largest correlation of the residuals that is taken into account. */
const maxCorrelation = 0.9;
/** Tuning constant of Huber's weights (Huber, Ann. Math. Stat. 35, 1964), and rounds of reweighting. */
const huber = 1.5;
const rounds = 4;
/** Median absolute deviation to standard deviation of a normal distribution. */
const normalFactor = 1.4826;

/** Robust regression line: a burst of bubbles is no error of the rate. The standard error is that of residuals which form a first-order process. */
function slopeOf(blocks: readonly Block[]): { readonly slope: number; readonly slopeSd: number } {
  const { length } = blocks;
  const lastMs = blocks.at(-1)?.atMs ?? 0;
  const hours = blocks.map(({ atMs }) => (atMs - lastMs) / hourMs);
  let weights = blocks.map(() => 1);
  let [slope, squares] = [0, 1];
  let residuals: readonly number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sum = (of: (index: number) => number): number =>
      weights.reduce((total, weight, index) => total + weight * of(index), 0);
    const hourOf = (index: number): number => hours[index] ?? 0;
    const levelOf = (index: number): number => blocks[index]?.level ?? 0;
    const total = sum(() => 1);
    const [meanHour, meanLevel] = [sum(hourOf) / total, sum(levelOf) / total];
    squares = sum((index) => (hourOf(index) - meanHour) ** 2);
    slope = sum((index) => (hourOf(index) - meanHour) * (levelOf(index) - meanLevel)) / squares;
    residuals = blocks.map(({ level }, index) => level - meanLevel - slope * (hourOf(index) - meanHour));
    const limit = huber * normalFactor * median(residuals.map(Math.abs));
    weights = residuals.map((residual) => (Math.abs(residual) <= limit ? 1 : limit / Math.abs(residual)));
  }
  const used = residuals.map((residual, index) => (weights[index] ?? 0) * residual);
  const power = used.reduce((sum, residual) => sum + residual ** 2, 0);
  const lagged = used.slice(1).reduce((sum, residual, index) => sum + residual * (used[index] ?? 0), 0);
  const correlation = power > 0 ? Math.max(0, Math.min(maxCorrelation, lagged / power)) : 0;
  const variance = (power / (length - 2)) * ((1 + correlation) / (1 - correlation));
  return { slope, slopeSd: Math.sqrt(variance / squares) };
}
