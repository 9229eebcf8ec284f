import type { AlignedCurve } from '@lcs/contract';
import { expect, it } from 'vitest';
import { meanCurve } from './aligned-curves.ts';

const curve = (reactor_unit: string, od: number, lastHour: number, firstHour = 0): AlignedCurve => {
  const hours = Array.from({ length: lastHour - firstHour + 1 }, (_, hour) => firstHour + hour);
  return {
    ...{ reactor_unit, label: null, group: null, zero_at: null, failure: null, generations: [] },
    ...{ hours, od: hours.map(() => od) },
  };
};

it('a mean is of all units: it ends where the first of them ends, and does not jump as units leave', () => {
  const mean = meanCurve('g', [curve('a', 1, 10), curve('b', 5, 13), curve('c', 9, 20), curve('d', 9, 21)]);
  expect([mean?.hours.length, mean?.hours[0], mean?.hours.at(-1)]).toEqual([150, 0, 10]);
  expect([new Set(mean?.od), new Set(mean?.n)]).toEqual([new Set([6]), new Set([4])]);
});

it('a mean begins where the last of its units begins', () => {
  const mean = meanCurve('g', [curve('a', 1, 10, -5), curve('b', 3, 12, -2)]);
  expect([mean?.hours[0], mean?.hours.at(-1), new Set(mean?.od)]).toEqual([-2, 10, new Set([2])]);
});

it('the mean of growing cultures never falls, however their ends are staggered', () => {
  const growing = (last: number): AlignedCurve => {
    const flat = curve('u', 1, last);
    return { ...flat, od: flat.hours.map((hour) => 0.01 * Math.exp((0.1 + 0.01 * last) * hour)) };
  };
  const mean = meanCurve('g', [24, 24, 23, 22, 21, 20].map(growing));
  expect(mean?.hours.at(-1)).toBe(20);
  expect(mean?.od.every((od, index) => index === 0 || (od ?? 0) > (mean.od[index - 1] ?? 0))).toBe(true);
});

it('a group of one unit, and one of which one unit has this hour 0, has the curve of that unit', () => {
  const none: AlignedCurve = { ...curve('b', 1, 1), hours: [], od: [], failure: 'not_diluted' };
  expect(meanCurve('g', [curve('a', 2, 5), none])?.n.at(-1)).toBe(1);
});

it('a unit with a single reading does not end the mean of the others', () => {
  expect(meanCurve('g', [curve('a', 2, 5), curve('b', 2, 5), curve('c', 2, 0)])?.n.at(-1)).toBe(2);
});

it('units that share no time have no mean', () => {
  expect(meanCurve('g', [curve('a', 1, 10), curve('b', 1, 30, 20)])).toBeUndefined();
});
