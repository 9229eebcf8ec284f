import type { Curve } from '@lcs/contract';
import type { Cubic } from './curve.ts';
import { type DataPoint, distinctXs } from './least-squares.ts';

/** One point for each x: the mean of all points with this x. */
function mergeEqualX(points: readonly DataPoint[]): readonly DataPoint[] {
  return distinctXs(points).map((x) => {
    const ys = points.filter((point) => point.x === x).map(({ y }) => y);
    return { x, y: ys.reduce((sum, y) => sum + y, 0) / ys.length };
  });
}

/** Slopes of the intervals, with two more at each end by linear extrapolation. */
function extendSlopes(slopes: readonly number[]): (index: number) => number {
  const [first = 0, second = first] = slopes;
  const [last = 0, beforeLast = last] = [...slopes].reverse();
  const all = [3 * first - 2 * second, 2 * first - second, ...slopes, 2 * last - beforeLast, 3 * last - 2 * beforeLast];
  return (index) => all[index + 2] ?? 0;
}

/** The slope of the curve at knot `index`: the side whose slope changes less has more weight. */
function steepness(slope: (index: number) => number, index: number): number {
  const right = Math.abs(slope(index + 1) - slope(index));
  const left = Math.abs(slope(index - 1) - slope(index - 2));
  if (right + left === 0) return (slope(index - 1) + slope(index)) / 2;
  return (right * slope(index - 1) + left * slope(index)) / (right + left);
}

/** The Akima spline through all points; points with the same x count as their mean. Undefined: fewer than two different x. */
export function fitAkima(points: readonly DataPoint[]): Curve | undefined {
  const through = mergeEqualX(points);
  if (through.length < 2) return undefined;
  const width = (index: number): number => (through[index + 1]?.x ?? 0) - (through[index]?.x ?? 0);
  const rise = (index: number): number => (through[index + 1]?.y ?? 0) - (through[index]?.y ?? 0);
  const intervals = through.slice(0, -1).map((_, index) => index);
  const slope = extendSlopes(intervals.map((index) => rise(index) / width(index)));
  const coefficients = intervals.map((index): Cubic => {
    const h = width(index);
    const [here, there] = [steepness(slope, index), steepness(slope, index + 1)];
    const mean = slope(index);
    return [through[index]?.y ?? 0, here, (3 * mean - 2 * here - there) / h, (here + there - 2 * mean) / h ** 2];
  });
  return { type: 'akima', knots: through.map(({ x }) => x), coefficients };
}
