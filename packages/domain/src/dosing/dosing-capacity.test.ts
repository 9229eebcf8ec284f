import { describe, expect, it } from 'vitest';
import { type ExchangePace, exchangeSeconds, fastestDilution } from './dosing-capacity.ts';

const pace: ExchangePace = {
  mediaMlPerS: 0.1,
  wasteMlPerS: 0.1,
  pauseS: 5,
  wasteMultiplier: 2,
  maxSubdoseMl: 1,
  settleS: 30,
};

describe('the capacity of the pumps', () => {
  it('follows from the duration of an exchange and what it washes out', () => {
    expect(exchangeSeconds(1, pace)).toBeCloseTo(45, 9);
    expect(exchangeSeconds(2, pace)).toBeCloseTo(90, 9);
    expect(fastestDilution(1, 15, pace)).toBeCloseTo((3600 * Math.log(16 / 15)) / 75, 9);
  });

  it.each([
    [5, 75],
    [30, 90],
    [75.2, 75.2],
    [74.8, 75],
    [120, 120],
  ])('is less with a reading every %d s, for which the next exchange waits: one in %d s', (readingEveryS, everyS) => {
    expect(fastestDilution(1, 15, { ...pace, readingEveryS })).toBeCloseTo((3600 * Math.log(16 / 15)) / everyS, 9);
  });
});
