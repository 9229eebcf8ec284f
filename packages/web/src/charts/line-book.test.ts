import type { Reading } from '@lcs/contract';
import { expect, it } from 'vitest';
import { createLineBook, usualTargetPoints } from './line-book.ts';

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
const newBook = () => createLineBook({ source: od, experiment: 'a', transform: (y) => y });
const secondsOf = (book: ReturnType<typeof newBook>) => book.lines().map(({ points }) => points.x.map((x) => x / 1000));

it('joins what is asked for and what comes by itself by line and time', () => {
  const book = newBook();
  book.add([reading(30, 3)]);
  book.replace(answer(10, 20), usualTargetPoints);
  book.add([reading(20, 9), reading(40, 4), reading(35, 3.5)]);
  expect(secondsOf(book)).toEqual([[10, 20, 30, 35, 40]]);
  expect(book.lines()[0]).toMatchObject({ unit: 'rx-1', channel: '2', points: { y: [1, 2, 3, 3.5, 4] } });
});

it('leaves alone readings of other experiments and other sources', () => {
  const book = newBook();
  book.add([reading(1, 1, { experiment: 'b' }), reading(1, 1, { source: 'raw_od' })]);
  expect(book.lines()).toEqual([]);
});

it('keeps a line that began after the question was asked, and drops what a newer answer has reduced', () => {
  const book = newBook();
  book.add([reading(11, 1), reading(12, 1), reading(13, 1), reading(5, 1, { reactor_unit: 'rx-2' })]);
  book.replace(answer(10, 13), usualTargetPoints);
  expect(secondsOf(book)).toEqual([[10, 13], [5]]);
});

it('forgets what has left the window, and lines with it', () => {
  const book = newBook();
  book.replace(answer(10, 20), usualTargetPoints);
  book.trim(15_000);
  expect(secondsOf(book)).toEqual([[20]]);
  book.trim(30_000);
  expect(book.lines()).toEqual([]);
});

it('says when the leader had better reduce it, and never grows without end', () => {
  const book = newBook();
  expect(book.isLong()).toBe(false);
  for (let second = 0; second < 20_000; second += 1) book.add([reading(second, Math.sin(second))]);
  expect(book.isLong()).toBe(true);
  expect(book.lines()[0]?.points.x.length).toBeLessThan(4 * (2 * usualTargetPoints + 200));
  expect(book.lines()[0]?.points.x.at(-1)).toBe(19_999_000);
});
