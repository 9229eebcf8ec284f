import { describe, expect, it } from 'vitest';
import type { Line } from './line-cache.ts';
import { extentOf, isolatedRows, plotData } from './plot-data.ts';

const line = (unit: string, x: number[], y = x.map(() => 1)): Line => ({
  label: unit,
  unit,
  channel: null,
  points: { x, y },
});

describe('lines brought to common moments', () => {
  it('go on where only another line has a point', () => {
    const { x, ys } = plotData([line('a', [1, 3, 5]), line('b', [2, 3, 4])]);
    expect(x).toEqual([1, 2, 3, 4, 5]);
    expect(ys).toEqual([
      [1, undefined, 1, undefined, 1],
      [undefined, 1, 1, 1, undefined],
    ]);
  });

  it('are empty through a whole pause, also where other lines have points', () => {
    const steady = Array.from({ length: 21 }, (_, index) => index);
    const paused = steady.filter((x) => x < 6 || x > 14);
    const { x, ys } = plotData([line('a', steady), line('b', paused)]);
    const inPause = x.flatMap((moment, row) => (moment > 5 && moment < 15 ? [ys[1]?.[row]] : []));
    expect(inPause.length).toBeGreaterThanOrEqual(9);
    expect(new Set(inPause)).toEqual(new Set([null]));
    expect(ys[0]).not.toContain(null);
  });
});

it('finds the points that would be invisible between two breaks', () => {
  expect(isolatedRows([1, null, 2, null, 3, undefined, 4, null, undefined, 5])).toEqual([0, 2, 9]);
});

it('measures only what is in the window', () => {
  const lines = [line('a', [1, 2, 3], [9, 1, 2]), line('b', [2, 4], [5, 90])];
  expect(extentOf(lines, 2, 3)).toEqual({ low: 1, high: 5 });
  expect(extentOf(lines, 6, 9)).toEqual({ low: null, high: null });
});
