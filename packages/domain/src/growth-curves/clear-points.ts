import { median } from '../growth-rate/robust-statistics.ts';
import type { CurvePoint, GrowthCurve } from './curve-points.ts';

/** Standard deviation of a normal distribution per median absolute deviation. */
const normalFactor = 1.4826;
/** Points on each side from which the noise about a point is estimated. */
const neighbours = 15;
/** Fewer points do not show how much they scatter. */
const fewestPoints = 8;

/**
 * Largest standard deviation of ln OD of a clear point: beyond it the signal is hardly above its background. There readings of 0
 * and below are missing, the mean of the logarithm is too low by half its variance, and drifts of the background look like growth.
 */
const mostNoise = 0.15;

/** Second differences of ln OD over neighbouring points: exponential growth and dilutions are not in them. */
function secondDifferences(points: readonly CurvePoint[]): readonly number[] {
  return points.slice(1, -1).map(({ h, level }, index) => {
    const [before, after] = [points[index], points[index + 2]];
    if (before === undefined || after === undefined) return Number.NaN;
    const [first, second] = [h - before.h, after.h - h];
    // At a gap the line through the outer points is that of another time.
    if (first > 2 * second || second > 2 * first) return Number.NaN;
    return Math.abs(level - before.level - (first / (first + second)) * (after.level - before.level));
  });
}

/**
 * The points whose ln OD scatters less than `mostNoise` about its neighbours. The deviation of a point from the line through its two
 * neighbours has 1.5 times the variance of a point.
 */
export function clearPoints(points: readonly CurvePoint[]): readonly CurvePoint[] {
  if (points.length < fewestPoints) return points;
  const differences = secondDifferences(points);
  return points.filter((_, index) => {
    const near = differences
      .slice(Math.max(0, index - 1 - neighbours), index + neighbours)
      .filter((difference) => !Number.isNaN(difference));
    if (near.length < fewestPoints / 2) return true;
    return (normalFactor * median(near)) / Math.sqrt(1.5) <= mostNoise;
  });
}

/** Points that show the level at the start of a curve. */
const startPoints = 5;

/**
 * The OD at the start is this many standard deviations of an unknown background at least, so that the level there, which a lag is counted
 * from, is wrong by hardly more than 10 %. Chosen.
 */
const clearBackgrounds = 10;

/** From when on a curve is clear of its background, h; undefined: it never is. */
export function clearFromH(
  { points, backgroundOd }: GrowthCurve,
  clear: readonly CurvePoint[] = clearPoints(points),
): number | undefined {
  const [first] = clear;
  const above = points.find((_, index) => {
    const ods = points.slice(index, index + startPoints).map(({ od }) => od);
    return median(ods) >= clearBackgrounds * backgroundOd;
  });
  if (first === undefined || above === undefined) return undefined;
  const quietH = points.slice(0, startPoints).includes(first) ? (points[0]?.h ?? first.h) : first.h;
  return Math.max(quietH, above.h);
}

/** Whether a curve is clear of its background from its start on: else its level there, and its lag, are not known. */
export const startsClear = (curve: GrowthCurve, clear: readonly CurvePoint[]): boolean =>
  clearFromH(curve, clear) === curve.points[0]?.h;

/** Why there is no lag; undefined: it is known. */
export const lagMissing = (
  isInBatch: boolean,
  isStartClear: boolean,
): 'lag_not_in_batch' | 'start_near_background' | undefined =>
  !isInBatch ? 'lag_not_in_batch' : isStartClear ? undefined : 'start_near_background';
