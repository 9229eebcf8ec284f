import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deltaHours, nextDeltaHoursChange } from './delta-hours.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('deltaHours', () => {
  it.each([
    [0, 0],
    [hour - 1, 0],
    [hour, 1],
    [104 * minute, 1],
    [-1, 0],
    [-hour + 1, 0],
    [-hour, -1],
    [-104 * minute, -1],
  ])('is, %i ms after creation, %i', (elapsed, hours) => {
    expect(deltaHours(1_000_000, 1_000_000 + elapsed)).toBe(hours);
  });
});

describe('nextDeltaHoursChange', () => {
  it('is the very first millisecond at which the value is another one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10 * hour, max: 10 * hour }), fc.nat(1_000_000), (elapsed, createdAt) => {
        const now = createdAt + elapsed;
        const change = nextDeltaHoursChange(createdAt, now);
        expect(change).toBeGreaterThan(now);
        expect(deltaHours(createdAt, change - 1)).toBe(deltaHours(createdAt, now));
        expect(deltaHours(createdAt, change)).toBe(deltaHours(createdAt, now) + 1);
      }),
    );
  });
});
