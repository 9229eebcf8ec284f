import { dayMs, hourMs, minuteMs } from '@lcs/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rollupLevels } from '../series/rollup-levels.ts';
import { sparklineGrid } from './sparkline-grid.ts';

const noonMs = Date.UTC(2026, 4, 2, 12);

it('takes the coarsest buckets that are fine enough', () => {
  expect(sparklineGrid(noonMs, 6, 60)).toEqual({
    table: 'rollup_1m',
    intervalMs: 6 * minuteMs,
    count: 60,
    from: noonMs - 6 * hourMs + 6 * minuteMs,
    to: noonMs + 6 * minuteMs,
  });
  expect(sparklineGrid(noonMs, 24, 60)).toMatchObject({ table: 'rollup_10m', intervalMs: 30 * minuteMs, count: 48 });
  expect(sparklineGrid(noonMs, 24 * 30, 60)).toMatchObject({ table: 'rollup_1h', intervalMs: 12 * hourMs, count: 60 });
});

it('covers the window up to now with at most the requested number of whole buckets', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: noonMs, max: noonMs + 400 * dayMs }),
      fc.integer({ min: 1, max: 8_760 }),
      fc.integer({ min: 2, max: 500 }),
      (nowMs, hours, points) => {
        const { table, from, to, intervalMs, count } = sparklineGrid(nowMs, hours, points);
        const { widthMs = Number.NaN } = rollupLevels.find((level) => level.table === table) ?? {};
        expect(count).toBeLessThanOrEqual(points);
        expect([intervalMs % widthMs, from % intervalMs, to - from]).toEqual([0, 0, count * intervalMs]);
        expect(to).toBeGreaterThan(nowMs);
        expect(from).toBeLessThanOrEqual(nowMs - hours * hourMs + intervalMs);
      },
    ),
  );
});
