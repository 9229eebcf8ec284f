import { hourMs } from '@lcs/contract/durations';
import { logShiftOf } from '../dosing/dilution.ts';
import { defaultGrowthRateParameters } from '../growth-rate/growth-rate-parameters.ts';
import type { PastDose } from '../growth-rate/growth-replay.ts';

/** Mean of the readings of a short time. */
export interface OdBin {
  /** Times of the first and the last reading, ms. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly od: number;
  readonly readings: number;
}

/** A point of a growth curve. */
export interface CurvePoint {
  /** Hours since the start of the curve. */
  readonly h: number;
  readonly od: number;
  /** ln OD as if no medium had been added: ln OD plus the logarithm of all dilutions before. */
  readonly level: number;
}

/** The curve of one unit. */
export interface GrowthCurve {
  readonly startMs: number;
  readonly points: readonly CurvePoint[];
  /** Bins whose mean was not above 0 (or not above the given limit): blanked readings have no logarithm. */
  readonly notPositive: number;
  /** Hours from the start to the first dilution; null without any. */
  readonly firstDoseH: number | null;
  readonly doses: number;
  readonly addedMl: number;
  /** Standard deviation of the part of the OD that is not from cells; 0: a calibration or a blank has taken it out. */
  readonly backgroundOd: number;
}

/** The background of a signal without calibration and blank. */
export const unknownBackgroundOd = defaultGrowthRateParameters.backgroundDeviation;

export interface GrowthCurveOptions {
  /** Bins of this mean OD or less are left out; default 0. */
  readonly leastOd?: number;
  /** Default 0. */
  readonly backgroundOd?: number;
}

/** The sum of the logarithms of dilutions over time; doses must be in order of time. */
class Dilutions {
  /** ln of the dilution by all doses up to and including each. */
  readonly #sums: readonly { readonly atMs: number; readonly sum: number }[];

  constructor(doses: readonly PastDose[]) {
    let sum = 0;
    this.#sums = doses.map((dose) => {
      sum -= logShiftOf(dose);
      return { atMs: dose.atMs, sum };
    });
  }

  /** The mean over a time: a bin may contain readings from before and after a dose. */
  mean(firstMs: number, lastMs: number): number {
    let index = this.#indexAfter(firstMs);
    let known = this.#sums[index - 1]?.sum ?? 0;
    if (!(lastMs > firstMs)) return known;
    let area = 0;
    let fromMs = firstMs;
    for (let next = this.#sums[index]; next !== undefined && next.atMs < lastMs; next = this.#sums[index]) {
      area += known * (next.atMs - fromMs);
      [fromMs, known] = [next.atMs, next.sum];
      index += 1;
    }
    return (area + known * (lastMs - fromMs)) / (lastMs - firstMs);
  }

  /** The number of doses at or before a time. */
  #indexAfter(ms: number): number {
    let low = 0;
    let high = this.#sums.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle]?.atMs ?? Number.POSITIVE_INFINITY) <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The growth curve of bins and doses, both in order of time. */
export function growthCurve(
  bins: readonly OdBin[],
  doses: readonly PastDose[],
  { leastOd = 0, backgroundOd = 0 }: GrowthCurveOptions = {},
): GrowthCurve {
  const used = bins.filter(({ od }) => od > leastOd && Number.isFinite(od));
  const startMs = used[0]?.firstMs ?? bins[0]?.firstMs ?? 0;
  const endMs = used.at(-1)?.lastMs ?? startMs;
  const relevant = doses.filter(({ atMs }) => atMs > startMs && atMs <= endMs);
  const dilutions = new Dilutions(relevant);
  const first = relevant.find((dose) => logShiftOf(dose) < 0);
  return {
    startMs,
    points: used.map(({ firstMs, lastMs, od }) => ({
      h: ((firstMs + lastMs) / 2 - startMs) / hourMs,
      od,
      level: Math.log(od) + dilutions.mean(firstMs, lastMs),
    })),
    notPositive: bins.length - used.length,
    firstDoseH: first === undefined ? null : (first.atMs - startMs) / hourMs,
    doses: relevant.filter(({ addedMl }) => addedMl > 0).length,
    addedMl: relevant.reduce((sum, { addedMl }) => sum + addedMl, 0),
    backgroundOd,
  };
}

/** Means of neighbouring points, at most this many, each of the same length of time; gaps have no point. */
export function thinned(points: readonly CurvePoint[], most: number): readonly CurvePoint[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length <= most) return points;
  const width = ((last.h - first.h) * (1 + 1e-9)) / most;
  const groups = Map.groupBy(points, ({ h }) => Math.floor((h - first.h) / width));
  return [...groups.values()].map((group) => {
    const mean = (of: (point: CurvePoint) => number): number =>
      group.reduce((sum, point) => sum + of(point), 0) / group.length;
    return { h: mean(({ h }) => h), od: mean(({ od }) => od), level: mean(({ level }) => level) };
  });
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
};

/** Points from which the level at the start or the end of a curve is taken. */
const endPoints = 5;

export const startLevel = (points: readonly CurvePoint[]): number =>
  median(points.slice(0, endPoints).map(({ level }) => level));

/** The level at one end: the straight line through the points nearest to it, so that wide bins lose no growth. */
function levelAtEnd(nearest: readonly CurvePoint[], endH: number): number {
  const n = nearest.length;
  const meanH = nearest.reduce((sum, { h }) => sum + h, 0) / n;
  const mean = nearest.reduce((sum, { level }) => sum + level, 0) / n;
  const spread = nearest.reduce((sum, { h }) => sum + (h - meanH) ** 2, 0);
  const slope = spread > 0 ? nearest.reduce((sum, { h, level }) => sum + (h - meanH) * level, 0) / spread : 0;
  return mean + slope * (endH - meanH);
}

/**
 * Generations from start to end of a curve: log₂ of the growth between dilutions, summed. The level is continuous over
 * dilutions, so that the sum is the difference of its ends.
 */
export function generationsOf(points: readonly CurvePoint[]): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return null;
  const growth = levelAtEnd(points.slice(-endPoints), last.h) - levelAtEnd(points.slice(0, endPoints), first.h);
  return growth / Math.LN2;
}
