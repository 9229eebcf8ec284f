import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toTimestamp } from './clock.ts';

it('writes times as the date of the runtime does', () => {
  const written = (moment: number): string => new Date(moment).toISOString();
  for (const moment of [
    0, 999, -1, 59_999.9, 86_399_999, 86_400_000, 951_782_400_000, 253_402_300_799_999, 253_402_300_800_000,
  ])
    expect(toTimestamp(moment)).toBe(written(moment));
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 4e14 }), (moment) => toTimestamp(moment) === written(moment)),
    { numRuns: 2_000 },
  );
  expect(() => toTimestamp(Number.NaN)).toThrow(RangeError);
});
