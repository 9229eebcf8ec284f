import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaksOf } from './gaps.ts';

const every = (count: number, step: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

describe('a line', () => {
  it('is broken in the middle of a pause, and nowhere else', () => {
    expect(breaksOf([...every(20, 5), ...every(20, 5, 400)])).toEqual([(95 + 400) / 2]);
  });

  it('is not broken where one reading or two were left out', () => {
    expect(breaksOf([0, 5, 10, 20, 25, 40, 45, 50])).toEqual([]);
  });

  it('is not broken where the interval changes', () => {
    expect(breaksOf([...every(50, 5), ...every(50, 60, 305)])).toEqual([]);
    expect(breaksOf([...every(50, 60), ...every(50, 5, 3005)])).toEqual([]);
  });

  it('of a fast series is broken by a pause that is none in a slow series', () => {
    expect(breaksOf([...every(10, 600), ...every(10, 600, 12_000)])).toHaveLength(1);
  });

  it('of the lowest and highest readings of equal periods is whole, wherever in its period each lies', () => {
    const stretch = fc.tuple(
      fc.double({ min: 0, max: 0.45, noNaN: true }),
      fc.double({ min: 0.55, max: 0.99, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 20, maxLength: 200 }), (stretches) => {
        expect(breaksOf(stretches.flatMap(([low, high], index) => [index + low, index + high]))).toEqual([]);
      }),
    );
  });

  it('of few points is never broken', () => {
    expect([[], [1], [1, 100]].map(breaksOf)).toEqual([[], [], []]);
  });
});
