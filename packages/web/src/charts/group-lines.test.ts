import { expect, it } from 'vitest';
import { bandDeviations, deviationBand } from './deviation-band.ts';
import { groupedLines, meanLine, meanOf } from './group-lines.ts';
import { readingsAt } from './plot-reading.ts';
import type { PlotLine } from './plot-types.ts';
import { preparedLines } from './prepared-lines.ts';

const second = 1000;
const points = (values: readonly number[], fromS = 0) => ({
  x: values.map((_, index) => (fromS + 2 * index) * second),
  y: [...values],
});
const style = { colour: '#000000', dash: [] };
const line = (unit: string, values: readonly number[], channel: string | null = null): PlotLine => ({
  label: `${unit}-${channel}`,
  unit,
  channel,
  name: unit,
  style,
  deviations: null,
  flags: [],
  off: [],
  points: points(values),
});

it('the mean has the sample standard deviation, and of one value none', () => {
  expect(meanOf([1, 2, 3])).toEqual({ mean: 2, deviation: 1 });
  expect(meanOf([4])).toEqual({ mean: 4, deviation: null });
});

it('the mean of lines is at round moments, straight between the readings of each', () => {
  const { points: mean, deviations } = meanLine([{ points: points([0, 2, 4]) }, { points: points([2, 4, 6]) }]);
  expect(mean.x.every((ms) => ms % 1024 === 0)).toBe(true);
  for (const [index, ms] of mean.x.entries()) {
    expect(mean.y[index]).toBeCloseTo(1 + ms / second, 9);
    expect(deviations.y[index]).toBeCloseTo(Math.SQRT2, 9);
  }
});

it('a mean is broken where one of its units pauses, and is of the others meanwhile', () => {
  const paused = { x: [0, 2, 4, 6, 8, 60, 62, 64, 66, 68].map((s) => s * second), y: Array(10).fill(10) };
  const whole = points(Array.from({ length: 35 }, () => 1));
  const { points: mean, counts, changes } = meanLine([{ points: paused }, { points: whole }, { points: whole }]);
  expect(counts.map((count, index) => [count, mean.y[index]]).every(([n, y]) => y === (n === 3 ? 4 : 1))).toBe(true);
  expect(changes).toMatchObject([
    { before: 3, after: 2 },
    { before: 2, after: 3 },
  ]);
  const [out = 0, back = 0] = changes.map(({ atMs }) => atMs / second);
  expect([out > 7 && out < 10, back > 58 && back < 62]).toEqual([true, true]);
});

it('a mean ends where every unit that goes on has a reading: it does not jump with each reading that arrives', () => {
  const newer = points([1, 1, 1, 1, 1, 1, 1]);
  const waiting = points([9, 9, 9, 9, 9, 9]);
  const { points: mean, counts } = meanLine([{ points: newer }, { points: waiting }]);
  expect(mean.x.at(-1)).toBeLessThanOrEqual(10 * second);
  expect([new Set(mean.y), new Set(counts)]).toEqual([new Set([5]), new Set([2])]);
  const early = meanLine([{ points: points([9, 9, 9, 9, 9], 0) }, { points: points([1, 1, 1, 1], 2) }]);
  expect(early.points.x[0]).toBeGreaterThanOrEqual(2 * second);
});

it('a mean goes on with the units that go on: in segments, with the number of units of each', () => {
  const ended = { points: points([9, 9, 9, 9, 9]) };
  const later = { points: points([5, 5, 5, 5, 5, 5, 5, 5]) };
  const whole = { points: points(Array.from({ length: 35 }, () => 1)) };
  const { points: mean, counts, changes } = meanLine([whole, later, ended, { points: points([]) }]);
  expect([...new Set(mean.y)]).toEqual([5, 3, 1]);
  expect([...new Set(counts)]).toEqual([3, 2, 1]);
  expect(changes).toMatchObject([
    { before: 3, after: 2 },
    { before: 2, after: 1 },
  ]);
  expect(mean.x.at(-1)).toBeGreaterThan(66 * second);
});

it('where another unit takes the place of one, a mean is broken, too', () => {
  const first = { points: points([9, 9, 9, 9, 9, 9]) };
  const second_ = { points: points([5, 5, 5, 5, 5, 5], 100) };
  const { changes } = meanLine([first, second_]);
  expect(changes).toMatchObject([{ before: 1, after: 1 }]);
});

it('the lines of a mean are drawn in pieces, and the pointer says why near a break', () => {
  const lines = [line('a', Array(35).fill(1)), line('b', Array(5).fill(3))];
  const [mean] = groupedLines(lines, [{ name: 'g', units: ['a', 'b'] }], () => style);
  const [change] = mean?.changes ?? [];
  const [prepared] = preparedLines(mean === undefined ? [] : [mean]);
  expect(prepared?.breaks).toEqual([change?.atMs]);
  expect(mean?.name).toBe('g (n = 1–2)');
  const settings = { display: 'elapsed', originMs: 0, presentYear: 2026, decimals: 1 } as const;
  const range = { fromMs: 0, toMs: 70 * second };
  const flagsAt = (ms: number) =>
    readingsAt(mean === undefined ? [] : [mean], ms, range, settings).values.flatMap(({ flags }) => flags);
  expect(flagsAt(change?.atMs ?? 0)).toEqual([expect.stringMatching(/^mean of 2 units until .*, of 1 since$/)]);
  expect(flagsAt(40 * second)).toEqual([]);
});

it('a group of one unit has its line, without a band', () => {
  const { points: mean, deviations, counts } = meanLine([{ points: points([1, 1, 1, 1]) }]);
  expect(new Set(counts)).toEqual(new Set([1]));
  expect(deviationBand(mean, deviations, [])).toEqual([]);
});

it('the pointer shows of how many units the value is', () => {
  const lines = [line('a', [1, 1, 1, 1]), line('b', [1, 1, 1, 1]), line('c', [3, 3, 3, 3])];
  const [mean] = groupedLines(lines, [{ name: 'g', units: ['a', 'b', 'c'] }], () => style);
  const settings = { display: 'clock', originMs: 0, presentYear: 2026, decimals: 1 } as const;
  const range = { fromMs: 0, toMs: 70 * second };
  const { values } = readingsAt(mean === undefined ? [] : [mean], 4 * second, range, settings);
  expect(values.map(({ value }) => value)).toEqual(['1.7, n = 3']);
});

it('groups replace the lines of their units, and say how many they are; other units keep theirs', () => {
  const lines = [line('a', [1, 1]), line('b', [3, 3]), line('c', [7, 7])];
  const styleOf = (place: number) => ({ ...style, colour: `#00000${place}` });
  const [mean, own] = groupedLines(lines, [{ name: 'control', units: ['a', 'b', 'gone'] }], styleOf);
  expect(mean).toMatchObject({ unit: 'control', name: 'control (n = 2)' });
  expect(new Set(mean?.points.y)).toEqual(new Set([2]));
  // The band is one standard deviation on each side.
  expect((mean?.deviations?.y[0] ?? 0) * bandDeviations).toBeCloseTo(Math.SQRT2, 9);
  expect(own).toEqual({ ...lines[2], style: styleOf(1) });
});

it('each channel of a group has its mean', () => {
  const lines = [line('a', [1, 1], '1'), line('a', [5, 5], '2'), line('b', [3, 3], '1'), line('b', [9, 9], '2')];
  const means = groupedLines(lines, [{ name: 'g', units: ['a', 'b'] }], () => style);
  expect(means.map(({ name, points: { y } }) => [name, y[0]])).toEqual([
    ['g (n = 2, 1)', 2],
    ['g (n = 2, 2)', 7],
  ]);
});
