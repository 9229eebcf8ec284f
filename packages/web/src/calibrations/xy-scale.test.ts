import { expect, it } from 'vitest';
import { xyScale } from './xy-scale.ts';

const size = { width: 400, height: 220 };
const places = [
  { x: 0, y: 10 },
  { x: 3, y: 50 },
];

it('shows all places inside its axes, with ticks at round values', () => {
  const { left, right, top, bottom, toX, toY, xTicks, yTicks } = xyScale(places, size);
  for (const { x, y } of places) {
    expect([toX(x) > left, toX(x) < right, toY(y) > top, toY(y) < bottom]).toEqual([true, true, true, true]);
  }
  expect(xTicks.map(({ label }) => label)).toEqual(['0', '1', '2', '3']);
  expect(yTicks.map(({ label }) => label)).toEqual(['10', '20', '30', '40', '50']);
  expect([xTicks[0]?.px, yTicks[0]?.px]).toEqual([toX(0), toY(10)]);
});

it('a single place lies in the middle', () => {
  const { left, right, toX } = xyScale([{ x: 2, y: 2 }], size);
  expect(toX(2)).toBeCloseTo((left + right) / 2, 6);
});
