import { expect, it } from 'vitest';
import { averageConversions, type HotRun, isBoardTemperature, updateHotRun } from './board-temperature.ts';

const runOf = (readings: readonly number[]): number =>
  readings.reduce<HotRun | undefined>((run, celsius) => updateHotRun(run, celsius, 66), undefined)?.count ?? 0;

it.each([
  ['a board that stays too hot', [66, 67.5, 70, 69], 4],
  ['one reading among cool ones', [37, 90, 37], 0],
  ['readings that have nothing to do with each other', [70, 110, 80, 120], 1],
  ['numbers that are no temperatures, which count neither way', [70, Number.NaN, 127.9, -128, 71], 2],
  ['a board that was cool in between', [70, 71, 65.9, 70], 1],
])('%s', (_name, readings, count) => {
  expect(runOf(readings)).toBe(count);
});

it('a value that is not a number, or outside the sensor’s range, is rejected', () => {
  expect([Number.NaN, Number.POSITIVE_INFINITY, -40.0625, 125.0625].map(isBoardTemperature)).not.toContain(true);
  expect([-40, 22, 125].map(isBoardTemperature)).not.toContain(false);
});

it.each<[string, readonly number[], number | undefined]>([
  ['is the mean of the middle four', [36.9375, 37, 37, 37.0625, 37, 37.0625], 37.015625],
  ['is not moved by one disturbed transfer', [37, 37, 101, 37, 37, 37], 37],
  ['does without what is no temperature', [37, Number.NaN, 37, -128, 37, 37], 37],
  ['is none of conversions that do not agree', [37, 90, 37, 90, 37, 90], undefined],
  ['is none of too few', [37, 37, 37], undefined],
])('a reading %s', (_name, conversions, celsius) => {
  expect(averageConversions(conversions)).toBe(celsius);
});
