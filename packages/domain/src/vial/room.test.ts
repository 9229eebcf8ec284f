import { describe, expect, it } from 'vitest';
import { roomAt } from './room.ts';

describe('the room of a simulated vial', () => {
  it('keeps its temperature unless a course is given', () => {
    expect(roomAt(undefined, 22, 1e6)).toBe(22);
  });

  it('swings about it', () => {
    const day = { kind: 'wave', amplitudeC: 4, periodS: 86_400 } as const;
    expect([0, 21_600, 64_800].map((timeS) => roomAt(day, 22, timeS))).toEqual([22, 26, 18]);
  });

  it('steps at once, or as a room follows its heating, each step from where the last one led', () => {
    const steps = [
      { atS: 100, celsius: 30 },
      { atS: 1000, celsius: 18 },
    ];
    const atOnce = { kind: 'steps', steps, timeConstantS: 0 } as const;
    expect([99, 100, 999, 1000].map((timeS) => roomAt(atOnce, 22, timeS))).toEqual([22, 30, 30, 18]);
    const slow = { kind: 'steps', steps, timeConstantS: 900 } as const;
    expect(roomAt(slow, 22, 1000)).toBeCloseTo(30 - 8 * Math.exp(-1), 9);
    expect(roomAt(slow, 22, 1900)).toBeCloseTo(18 + (12 - 8 * Math.exp(-1)) * Math.exp(-1), 9);
  });
});
