import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InstantWriter, mostBytesPerPoint, pointsText, roundHalfAway } from './points-text.ts';

describe('an instant', () => {
  it('is what the calendar says, in any order', () => {
    const writer = new InstantWriter();
    const moments = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
    fc.assert(fc.property(moments, (at) => writer.write(at) === new Date(at).toISOString()));
  });
});

describe('rounding', () => {
  it.each([
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [2.5, 0, 3],
    [0.00000005, 7, 1e-7],
    [-0.00000004, 7, 0],
    [30.125, 2, 30.13],
    [-30.125, 2, -30.13],
    [1e300, 7, 1e300],
    [123_456_789_012.345, 7, 123_456_789_012.345],
  ])('goes away from zero at the half: %d with %d digits is %d', (value, decimals, rounded) => {
    expect(roundHalfAway(value, decimals)).toBe(rounded);
  });
});

describe('points as text', () => {
  it('are JSON that no number makes longer than is counted on', () => {
    const points = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    );
    fc.assert(
      fc.property(points, fc.constantFrom(2, 5, 7), (rows, decimals) => {
        const text = pointsText({ at: rows.map(([at]) => at), value: rows.map(([, value]) => value) }, decimals);
        expect(JSON.parse(text)).toHaveLength(rows.length);
        expect(text.length).toBeLessThanOrEqual(2 + rows.length * mostBytesPerPoint);
      }),
    );
  });
});
