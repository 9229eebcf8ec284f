import type { AlignedCurve } from '@lcs/contract';
import { expect, it } from 'vitest';
import { meanCurve } from './aligned-curves.ts';

const curve = (reactor_unit: string, od: number, lastHour: number, firstHour = 0): AlignedCurve => {
  const hours = Array.from({ length: lastHour - firstHour + 1 }, (_, hour) => firstHour + hour);
  return {
    reactor_unit,
    label: null,
    group: null,
    zero_at: null,
    failure: null,
    generations: [],
    hours,
    od: hours.map(() => od),
  };
};

it('a mean is of the units that have values: it goes on after the first of them ends, with the number of units', () => {
  const mean = meanCurve('g', [curve('a', 1, 10), curve('b', 5, 13), curve('c', 9, 20), curve('d', 9, 21)]);
  expect([mean?.hours[0], mean?.hours.at(-1)]).toEqual([0, 21]);
  const lastHourOf = (n: number) => mean?.hours[mean.n.lastIndexOf(n)];
  expect([4, 3, 2, 1].map(lastHourOf)).toEqual([10, 13, 20, 21]);
  expect([...new Set(mean?.od.map((od) => Math.round(1e6 * od) / 1e6))]).toEqual([6, 7.666667, 9]);
});

it('a mean does not lose units at its ends because they do not read at the same moment', () => {
  const shifted = (unit: string, od: number, byH: number): AlignedCurve => {
    const one = curve(unit, od, 20);
    return { ...one, hours: one.hours.map((hour) => hour + byH) };
  };
  const mean = meanCurve('g', [shifted('a', 1, 0), shifted('b', 5, 0.001), shifted('c', 9, 0.02)]);
  expect(new Set(mean?.n)).toEqual(new Set([3]));
  expect(new Set(mean?.od)).toEqual(new Set([5]));
});

it('a mean begins where the first of its units begins', () => {
  const mean = meanCurve('g', [curve('a', 1, 10, -5), curve('b', 3, 12, -2)]);
  expect([mean?.hours[0], mean?.hours.at(-1), new Set(mean?.od)]).toEqual([-5, 12, new Set([1, 2, 3])]);
  expect(mean?.hours[mean.n.indexOf(2)]).toBe(-2);
});

it('the mean of growing cultures falls only where one of them ends', () => {
  const growing = (last: number): AlignedCurve => {
    const flat = curve('u', 1, last);
    return { ...flat, od: flat.hours.map((hour) => 0.01 * Math.exp((0.1 + 0.01 * last) * hour)) };
  };
  const mean = meanCurve('g', [24, 24, 23, 22, 21, 20].map(growing));
  expect(mean?.hours.at(-1)).toBe(24);
  const isSame = (index: number) => mean?.n[index] === mean?.n[index - 1];
  expect(mean?.od.every((od, index) => index === 0 || !isSame(index) || od > (mean.od[index - 1] ?? 0))).toBe(true);
});

it('a group of one unit, and one of which one unit has this hour 0, has the curve of that unit', () => {
  const none: AlignedCurve = { ...curve('b', 1, 1), hours: [], od: [], failure: 'not_diluted' };
  expect(meanCurve('g', [curve('a', 2, 5), none])?.n.at(-1)).toBe(1);
});

it('a unit with a single reading does not end the mean of the others', () => {
  expect(meanCurve('g', [curve('a', 2, 5), curve('b', 2, 5), curve('c', 2, 0)])?.n.at(-1)).toBe(2);
});

it('units that share no time have a mean each, and none between', () => {
  const mean = meanCurve('g', [curve('a', 1, 10), curve('b', 3, 30, 20)]);
  expect(new Set(mean?.n)).toEqual(new Set([1]));
  expect(mean?.hours.filter((hour) => hour > 10 && hour < 20)).toEqual([]);
});

it('without a curve there is no mean', () => {
  expect(meanCurve('g', [curve('a', 1, 0)])).toBeUndefined();
});
