import { hourMs } from '@lcs/contract';
import { type RollupLevel, rollupLevels } from '../series/rollup-levels.ts';

/** Equal intervals up to now. The last one is not complete. */
export interface SparklineGrid {
  readonly table: RollupLevel['table'];
  /** The start of the first interval, and the end of the last one, ms. */
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
  readonly count: number;
}

/**
 * At most `points` intervals that are whole buckets of the coarsest level that is fine enough. They begin at multiples of their width,
 * so that means do not change with each request.
 */
export function sparklineGrid(nowMs: number, lookbackHours: number, points: number): SparklineGrid {
  const spanMs = lookbackHours * hourMs;
  const [finest] = rollupLevels;
  const level = rollupLevels.findLast(({ widthMs }) => widthMs * points <= spanMs) ?? finest;
  const { table, widthMs } = level ?? { table: 'rollup_1m', widthMs: 60_000 };
  const intervalMs = Math.max(1, Math.ceil(spanMs / points / widthMs)) * widthMs;
  const to = (Math.floor(nowMs / intervalMs) + 1) * intervalMs;
  const count = Math.min(points, Math.ceil(spanMs / intervalMs));
  return { table, from: to - count * intervalMs, to, intervalMs, count };
}
