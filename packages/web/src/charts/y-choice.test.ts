import { describe, expect, it } from 'vitest';
import { extentOf } from './y-choice.ts';

const line = (y: readonly number[]) => ({ points: { x: y.map((_, index) => index), y: [...y] } });
const everything = { fromMs: 0, toMs: 10_000 };

describe('the values that a chart shows', () => {
  it('are those of the window', () => {
    const lines = [line([9, 1, 2, 90])];
    expect(extentOf(lines, { fromMs: 1, toMs: 2 }, 'all')).toEqual({ low: 1, high: 2 });
    expect(extentOf(lines, { fromMs: 6, toMs: 9 }, 'auto')).toEqual({ low: null, high: null });
    expect(extentOf([line([-1, 0, 3])], everything, 'all', { floor: 0 })).toEqual({ low: 3, high: 3 });
  });

  it('leave out the few first values of an estimate that are far from all others', () => {
    const rates = [0.5, -0.5, ...Array.from({ length: 400 }, (_, index) => 0.1 + (index % 10) / 100)];
    expect(extentOf([line(rates)], everything, 'auto')).toEqual({ low: 0.1, high: 0.19 });
    expect(extentOf([line(rates)], everything, 'all')).toEqual({ low: -0.5, high: 0.5 });
  });

  it('include what is near, rare or not, and what is small for the quantity', () => {
    const course = Array.from({ length: 400 }, (_, index) => index / 400);
    expect(extentOf([line([...course, 1.4])], everything, 'auto').high).toBe(1.4);
    const temperatures = [...Array.from({ length: 400 }, () => 30), 29.2];
    expect(extentOf([line(temperatures)], everything, 'auto', { leastSpan: 1.5 }).low).toBe(29.2);
    expect(extentOf([line(temperatures)], everything, 'auto').low).toBe(30);
  });

  it('include each of few values', () => {
    expect(extentOf([line([1, 1, 1, 50])], everything, 'auto').high).toBe(50);
  });
});
