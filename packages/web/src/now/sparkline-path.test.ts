import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawSparkline } from './sparkline-path.ts';

const box = { width: 100, height: 26 };

it('goes from the lowest value to the highest one, with gaps where there is no reading', () => {
  expect(drawSparkline([1, 2, null, 3, null], null, box)).toEqual({
    path: 'M0 23L0 23L25 13M75 3L75 3',
    targetY: null,
    end: { x: 75, y: 3 },
  });
});

it('contains the target line', () => {
  const { targetY, end } = drawSparkline([0.1, 0.2], 0.4, box);
  expect(targetY).toBe(3);
  expect(end?.y).toBeGreaterThan(10);
});

it('is flat where the values hardly change, and empty without values', () => {
  const ys = [...drawSparkline([1, 1.001, 1], null, box).path.matchAll(/ ([\d.]+)/g)].map(([, y]) => Number(y));
  expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(1);
  expect(drawSparkline([null, null], 0.4, box)).toEqual({ path: '', targetY: null, end: null });
  expect(drawSparkline([0, 0], null, box).path).not.toMatch(/NaN|Infinity/);
});

it('stays in its box', () => {
  const value = fc.option(fc.double({ min: -10, max: 1e4, noNaN: true }), { nil: null });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 70 }), value, (means, target) => {
      const { path, targetY } = drawSparkline(means, target, box);
      const ys = [...path.matchAll(/[ML][-\d.e]+ ([-\d.e]+)/g)].map(([, y]) => Number(y));
      for (const y of targetY === null ? ys : [...ys, targetY]) {
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThanOrEqual(box.height);
      }
    }),
  );
});
