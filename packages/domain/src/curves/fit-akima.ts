import type { Curve } from '@lcs/contract';
import type { Cubic } from './curve.ts';
import { type DataPoint, distinctXs } from './least-squares.ts';

/** One point for each x: the mean of those that share it. */
function merged(points: readonly DataPoint[]): readonly DataPoint[] {
  return distinctXs(points).map((x) => {
    const ys = points.filter((point) => point.x === x).map(({ y }) => y);
    return { x, y: ys.reduce((sum, y) => sum + y, 0) / ys.length };
  });
}

/** Slopes of the intervals, with two more at each end that go on in a straight line. */
function extended(slopes: readonly number[]): (index: number) => number {
  const [first = 0, second = first] = slopes;
  const [last = 0, beforeLast = last] = [...slopes].reverse();
  const all = [3 * first - 2 * second, 2 * first - second, ...slopes, 2 * last - beforeLast, 3 * last - 2 * beforeLast];
  return (index) => all[index + 2] ?? 0;
}

/** How steep the curve is at knot `index`: the steadier of the two sides counts more. */
function steepness(slope: (index: number) => number, index: number): number {
  const right = Math.abs(slope(index + 1) - slope(index));
  const left = Math.abs(slope(index - 1) - slope(index - 2));
  if (right + left === 0) return (slope(index - 1) + slope(index)) / 2;
  return (right * slope(index - 1) + left * slope(index)) / (right + left);
}

/** Akima's curve through all points (those that share an x count as their mean). Undefined with fewer than two different x. */
export function fitAkima(points: readonly DataPoint[]): Curve | undefined {
  const through = merged(points);
  if (through.length < 2) return undefined;
  const width = (index: number): number => (through[index + 1]?.x ?? 0) - (through[index]?.x ?? 0);
  const rise = (index: number): number => (through[index + 1]?.y ?? 0) - (through[index]?.y ?? 0);
  const intervals = through.slice(0, -1).map((_, index) => index);
  const slope = extended(intervals.map((index) => rise(index) / width(index)));
  const coefficients = intervals.map((index): Cubic => {
    const h = width(index);
    const [here, there] = [steepness(slope, index), steepness(slope, index + 1)];
    const mean = slope(index);
    return [through[index]?.y ?? 0, here, (3 * mean - 2 * here - there) / h, (here + there - 2 * mean) / h ** 2];
  });
  return { type: 'akima', knots: through.map(({ x }) => x), coefficients };
}
