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

it('a mean ends where fewer than half of the units, or fewer than two, go on: it does not jump to a single unit', () => {
  const mean = meanCurve('g', [curve('a', 1, 10), curve('b', 1, 10), curve('c', 9, 20)]);
  expect(mean?.hours.at(-1)).toBeCloseTo(10, 0);
  expect(new Set(mean?.n)).toEqual(new Set([3]));
  const half = meanCurve(
    'g',
    [1, 2, 3, 4].map((od) => curve(`u${od}`, od, od > 2 ? 20 : 10)),
  );
  expect([half?.hours.at(-1), half?.n.at(0), half?.n.at(-1)]).toEqual([20, 4, 2]);
});

it('a group of one unit, and one of which one unit has this hour 0, has the curve of that unit', () => {
  const none: AlignedCurve = { ...curve('b', 1, 1), hours: [], od: [], failure: 'not_diluted' };
  expect(meanCurve('g', [curve('a', 2, 5), none])?.n.at(-1)).toBe(1);
});

it('a mean has its points where enough units have values, however long one of them goes on', () => {
  const mean = meanCurve('g', [curve('a', 1, 10), curve('b', 1, 10), curve('c', 1, 2000)]);
  expect([mean?.hours.length, mean?.hours[0], mean?.hours.at(-1)]).toEqual([150, 0, 10]);
  expect(new Set(mean?.n)).toEqual(new Set([3]));
});

it('a mean has a gap where too few units have values between two spans', () => {
  const mean = meanCurve('g', [
    curve('a', 1, 10),
    curve('b', 3, 10),
    curve('c', 5, 2010, 2000),
    curve('d', 7, 2010, 2000),
  ]);
  const gap = mean?.od.indexOf(null) ?? -1;
  expect(mean?.hours.slice(gap - 1, gap + 2)).toEqual([10, 1005, 2000]);
  expect(mean?.od.slice(gap - 1, gap + 2)).toEqual([2, null, 6]);
  expect([mean?.n[gap], mean?.lower[gap], mean?.upper[gap]]).toEqual([0, null, null]);
  expect([mean?.od.filter((od) => od === null).length, mean?.od[0], mean?.od.at(-1)]).toEqual([1, 2, 6]);
});

it('units that share no time have no mean', () => {
  expect(meanCurve('g', [curve('a', 1, 10), curve('b', 1, 30, 20)])).toBeUndefined();
});
