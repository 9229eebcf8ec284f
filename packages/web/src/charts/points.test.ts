import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dropBefore, insertPoint, nearestIndex, noPoints, thinned } from './points.ts';

describe('points', () => {
  it('are in the order of time whatever order they come in; of two at one moment the first stays', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer()), { maxLength: 80 }), (readings) => {
        const points = noPoints();
        const model = new Map<number, number>();
        for (const [x, y] of readings) {
          expect(insertPoint(points, x, y)).toBe(!model.has(x));
          if (!model.has(x)) model.set(x, y);
        }
        const sorted = [...model].sort(([left], [right]) => left - right);
        expect(points).toEqual({ x: sorted.map(([x]) => x), y: sorted.map(([, y]) => y) });
      }),
    );
  });

  it('before a moment are dropped, the point at the moment stays', () => {
    const points = { x: [1, 2, 3], y: [10, 20, 30] };
    dropBefore(points, 2);
    expect(points).toEqual({ x: [2, 3], y: [20, 30] });
  });

  it('are found by the nearest moment', () => {
    expect([0, 4, 7, 99].map((moment) => nearestIndex([1, 5, 10], moment))).toEqual([0, 1, 1, 2]);
    expect(nearestIndex([], 3)).toBe(-1);
  });
});

describe('thinning', () => {
  it('keeps a spike of one reading, both ends and the order, and no more points than requested', () => {
    const count = 10_000;
    const x = Array.from({ length: count }, (_, index) => index * 5000);
    const y = x.map((_, index) => Math.sin(index / 300));
    y[6137] = 40;
    const few = thinned({ x, y }, 720);
    expect(few.x.length).toBeLessThanOrEqual(720);
    expect(Math.max(...few.y)).toBe(40);
    expect([few.x[0], few.x.at(-1)]).toEqual([0, (count - 1) * 5000]);
    expect(few.x).toEqual([...few.x].sort((left, right) => left - right));
  });
});
