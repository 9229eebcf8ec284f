import { hourMs } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { dosingRate } from './dosing-rate.ts';

const minuteMs = hourMs / 60;
/** Doses of 1 mL every 20 min from the start of the run. */
const every20Min = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ atMs: index * 20 * minuteMs, ml: 1 }));

describe('the medium that a dosing automation uses', () => {
  it('is that of its own time, at any moment between two doses', () => {
    for (const afterLastMin of [0, 10, 19])
      expect(dosingRate(every20Min(3), (40 + afterLastMin) * minuteMs)).toBeCloseTo(3, 9);
    expect(dosingRate(every20Min(9), 165 * minuteMs)).toBeCloseTo(3, 9);
  });

  it('is not known after few doses or a short time', () => {
    expect(dosingRate([], hourMs)).toBeNull();
    expect(dosingRate(every20Min(2), 39 * minuteMs)).toBeNull();
    expect(
      dosingRate(
        [0, 5, 10].map((min) => ({ atMs: min * minuteMs, ml: 1 })),
        16 * minuteMs,
      ),
    ).toBeNull();
  });

  it('falls when no dose follows, and counts corrections', () => {
    expect(dosingRate(every20Min(3), 120 * minuteMs)).toBeCloseTo(2 / ((2 / 3) * 2), 9);
    const corrected = [...every20Min(3), { atMs: 41 * minuteMs, ml: -1 }];
    expect(dosingRate(corrected, 45 * minuteMs)).toBeCloseTo(1.5, 9);
    expect(dosingRate([...every20Min(3), { atMs: 41 * minuteMs, ml: -9 }], 45 * minuteMs)).toBe(0);
  });
});
