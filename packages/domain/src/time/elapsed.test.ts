import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elapsedText, forecastSpanText, roughSpanText } from './elapsed.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('a span', () => {
  it.each([
    [0, '0 s'],
    [59_999, '59 s'],
    [minute, '1 min 0 s'],
    [hour - 1, '59 min 59 s'],
    [hour, '1 h 0 min'],
    [day - 1, '23 h 59 min'],
    [day, '1 d 0 h'],
    [9 * day + 4 * hour + 59 * minute, '9 d 4 h'],
    [400 * day, '400 d 0 h'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(elapsedText(ms)).toBe(text);
  });

  it('that is negative, because a clock was set back, is 0 s', () => {
    expect(elapsedText(-5000)).toBe('0 s');
  });

  it('in short has the largest unit only', () => {
    expect(roughSpanText(9 * day + 4 * hour)).toBe('9 d');
    expect(roughSpanText(45_000)).toBe('45 s');
  });

  it.each([
    [10_000, '1 min'],
    [90_000, '2 min'],
    [59.4 * minute, '59 min'],
    [59.6 * minute, '1 h'],
    [2.885 * hour, '2 h 50 min'],
    [3.91 * hour, '3 h 50 min'],
    [3.95 * hour, '4 h'],
    [23.6 * hour, '24 h'],
    [47.4 * hour, '47 h'],
    [4.6 * day, '5 d'],
  ])('that is expected, %i ms, is rounded to the nearest: %s', (ms, text) => {
    expect(forecastSpanText(ms)).toBe(text);
  });

  it('never has a part that exceeds its unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 * day }), (ms) => {
        const limits: Readonly<Record<string, number>> = { s: 60, min: 60, h: 24, d: 1001 };
        const parts = elapsedText(ms).matchAll(/(\d+) (\w+)/g);
        for (const [, amount, unit = ''] of parts) expect(Number(amount)).toBeLessThan(limits[unit] ?? 0);
      }),
    );
  });
});
