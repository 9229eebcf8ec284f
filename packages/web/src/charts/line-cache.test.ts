import type { Reading } from '@lcs/contract';
import { expect, it } from 'vitest';
import { createLineCache, targetPointsFor, usualTargetPoints } from './line-cache.ts';

const od = { data_source: 'od_readings', data_source_column: null };
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const reading = (seconds: number, y: number, more: Partial<Reading> = {}): Reading => ({
  experiment: 'a',
  reactor_unit: 'rx-1',
  source: 'od',
  channel: '2',
  angle: 90,
  x: at(seconds),
  y,
  backfill: false,
  ...more,
});
const answer = (...seconds: number[]) => ({
  series: ['rx-1-2'],
  data: [seconds.map((each) => ({ x: at(each), y: each / 10 }))],
});
const newCache = () => createLineCache({ source: od, experiment: 'a', transform: (y) => y });
const secondsOf = (cache: ReturnType<typeof newCache>) =>
  cache.lines().map(({ points }) => points.x.map((x) => x / 1000));

it('merges requested and live readings by line and time', () => {
  const cache = newCache();
  cache.add([reading(30, 3)]);
  cache.replace(answer(10, 20), usualTargetPoints);
  cache.add([reading(20, 9), reading(40, 4), reading(35, 3.5)]);
  expect(secondsOf(cache)).toEqual([[10, 20, 30, 35, 40]]);
  expect(cache.lines()[0]).toMatchObject({ unit: 'rx-1', channel: '2', points: { y: [1, 2, 3, 3.5, 4] } });
});

it('ignores readings of other experiments and other sources', () => {
  const cache = newCache();
  cache.add([reading(1, 1, { experiment: 'b' }), reading(1, 1, { source: 'raw_od' })]);
  expect(cache.lines()).toEqual([]);
});

it('keeps a line that began after the request, and drops live readings that a newer response has reduced', () => {
  const cache = newCache();
  cache.add([reading(11, 1), reading(12, 1), reading(13, 1), reading(5, 1, { reactor_unit: 'rx-2' })]);
  cache.replace(answer(10, 13), usualTargetPoints);
  expect(secondsOf(cache)).toEqual([[10, 13], [5]]);
});

it('shows a window in detail, and the rest and newer live readings as before', () => {
  const cache = newCache();
  cache.replace(answer(0, 100, 200, 300), usualTargetPoints);
  cache.refine({ answer: answer(120, 140, 160), fromMs: 110_000 });
  expect(secondsOf(cache)).toEqual([[0, 100, 120, 140, 160, 200, 300]]);
  cache.refine({ answer: answer(280, 290, 300), fromMs: 150_000 });
  cache.add([reading(310, 1)]);
  expect(secondsOf(cache)).toEqual([[0, 100, 280, 290, 300, 310]]);
  cache.refine(null);
  expect(secondsOf(cache)).toEqual([[0, 100, 200, 300, 310]]);
});

it('has a line in detail for a unit that was only in the window', () => {
  const cache = newCache();
  cache.refine({ answer: answer(5, 6), fromMs: 1000 });
  expect(secondsOf(cache)).toEqual([[5, 6]]);
});

it('drops readings that left the window, and lines without readings', () => {
  const cache = newCache();
  cache.replace(answer(10, 20), usualTargetPoints);
  cache.trim(15_000);
  expect(secondsOf(cache)).toEqual([[20]]);
  cache.trim(30_000);
  expect(cache.lines()).toEqual([]);
});

it('reports when it is long, and has an upper limit', () => {
  const cache = newCache();
  expect(cache.isLong()).toBe(false);
  for (let second = 0; second < 20_000; second += 1) cache.add([reading(second, Math.sin(second))]);
  expect(cache.isLong()).toBe(true);
  expect(cache.lines()[0]?.points.x.length).toBeLessThan(4 * (2 * usualTargetPoints + 200));
  expect(cache.lines()[0]?.points.x.at(-1)).toBe(19_999_000);
});

it('asks for fewer points of each of many lines', () => {
  expect([1, 12].map(targetPointsFor)).toEqual([usualTargetPoints, usualTargetPoints]);
  expect(targetPointsFor(24)).toBeLessThan(usualTargetPoints);
});

it('knows since when its readings have changed: what is older need not be drawn again', () => {
  const cache = newCache();
  const watch = cache.watchChanges();
  cache.replace(answer(...Array.from({ length: 30 }, (_, index) => 10 * index)), usualTargetPoints);
  expect(watch.take()).toBe(Number.NEGATIVE_INFINITY);
  expect(watch.take()).toBe(Number.POSITIVE_INFINITY);
  cache.add([reading(300, 1), reading(305, 1)]);
  const changed = watch.take();
  expect(changed).toBeGreaterThan(100_000);
  // The line goes on from the reading before, whose neighbours decide what a pause is.
  expect(changed).toBeLessThan(290_000);
  cache.refine({ answer: answer(5, 6), fromMs: 1000 });
  expect(watch.take()).toBe(Number.NEGATIVE_INFINITY);
});

it('reports each change to every drawing of its lines, until the drawing stops', () => {
  const cache = newCache();
  cache.replace(answer(...Array.from({ length: 30 }, (_, index) => 10 * index)), usualTargetPoints);
  const [one, other] = [cache.watchChanges(), cache.watchChanges()];
  expect([one.take(), other.take()]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  cache.add([reading(300, 1)]);
  const changed = one.take();
  expect(changed).toBeGreaterThan(100_000);
  cache.add([reading(305, 1)]);
  // The later change does not cover the earlier one.
  expect(other.take()).toBe(changed);
  expect(one.take()).toBeGreaterThan(changed);
  other.stop();
  cache.add([reading(310, 1)]);
  expect(other.take()).toBe(Number.POSITIVE_INFINITY);
});
