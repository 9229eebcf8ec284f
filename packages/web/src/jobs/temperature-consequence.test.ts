import { expect, it } from 'vitest';
import { temperatureConsequences } from './temperature-consequence.ts';

const at = (liquidC: number | null) => [{ unit: 'rx01', liquidC }];
const numbersOf = (liquidC: number | null, target: number) =>
  temperatureConsequences('thermostat', target, at(liquidC)).map((text) => text.match(/\d+(\.\d+)?/g)?.slice(1));

it('a thermostat names the liquid now, its target and how long it warms', () => {
  expect(numbersOf(24.8, 37)).toEqual([['24.8', '37', '10', '22']]);
  // Without a reading it starts from the room.
  expect(numbersOf(null, 30)).toEqual([['22', '7', '30']]);
});

it('a target beyond the heater, below the liquid and at the liquid is another sentence', () => {
  const texts = [
    [24.8, 78],
    [37, 30],
    [37, 37],
    [24.8, 37],
  ].flatMap(([liquidC = 0, target]) => temperatureConsequences('thermostat', target, at(liquidC)));
  const withoutNumbers = new Set(texts.map((text) => text.replaceAll(/[\d.]+/g, '')));
  expect(withoutNumbers.size).toBe(4);
});

it('a mode that does not heat, and a form without a target, say nothing', () => {
  expect(temperatureConsequences('only_record_temperature', 37, at(20))).toEqual([]);
  expect(temperatureConsequences('thermostat', '', at(20))).toEqual([]);
  expect(temperatureConsequences(null, 37, at(20))).toEqual([]);
});
