import { hourMs } from '@lcs/contract';
import { expect, it } from 'vitest';
import { dilutionMl, heldDensityForecast, regularDosesForecast } from './dosing-forecast.ts';

const culture = { density: 0.26, growthPerHour: 0.11, volumeMl: 14.4, mediaLeftMl: 190 };

it('a held density grows to its target first, then dilutes by its growth rate', () => {
  const { firstDoseInMs = 0, mediaMlPerDay, bottleLastsMs = 0 } = heldDensityForecast(culture, 0.4);
  expect(firstDoseInMs / hourMs).toBeCloseTo(Math.log(0.4 / 0.26) / 0.11, 6);
  expect(mediaMlPerDay).toBeCloseTo(38.016, 3);
  expect(bottleLastsMs / hourMs).toBeCloseTo(firstDoseInMs / hourMs + (24 * 190) / 38.016, 3);
});

it('exchanges of 1 mL need more medium than small ones: they remove some of their own', () => {
  const partsFor = () => 1;
  const { mediaMlPerDay } = heldDensityForecast({ ...culture, exchange: { exchangeMl: 1, partsFor } }, 0.4);
  // So many exchanges, each of which washes out ln((14.4 + 1) / 14.4).
  expect(mediaMlPerDay).toBeCloseTo((24 * 0.11) / Math.log(15.4 / 14.4), 9);
});

it('above its target it dilutes at once', () => {
  expect(heldDensityForecast({ ...culture, density: 0.5 }, 0.4).firstDoseInMs).toBe(0);
  expect(heldDensityForecast({ ...culture, density: 0.5, growthPerHour: undefined }, 0.4)).toEqual({
    firstDoseInMs: 0,
    mediaMlPerDay: undefined,
    bottleLastsMs: undefined,
  });
});

it('the way down to a target needs the volume times the logarithm of the ratio: a halving 0.69 volumes', () => {
  expect(dilutionMl(0.8, 0.4, 15)).toBeCloseTo(10.397, 3);
  expect(dilutionMl(0.4, 0.4, 15)).toBeUndefined();
  expect(dilutionMl(0.8, 0, 15)).toBeUndefined();
});

it('nothing is forecast from what is not known, or from growth within its noise', () => {
  const unknown = { firstDoseInMs: undefined, mediaMlPerDay: undefined, bottleLastsMs: undefined };
  expect(heldDensityForecast({ ...culture, density: undefined, growthPerHour: undefined }, 0.4)).toEqual(unknown);
  expect(heldDensityForecast({ ...culture, growthPerHour: 0.004 }, 0.4)).toEqual(unknown);
});

it('doses by the clock need the same each day', () => {
  const { firstDoseInMs, mediaMlPerDay, bottleLastsMs } = regularDosesForecast(
    { mediaLeftMl: 288 },
    { doseMl: 1, everyMin: 10 },
  );
  expect([firstDoseInMs, mediaMlPerDay, bottleLastsMs]).toEqual([0, 144, 48 * hourMs]);
});
