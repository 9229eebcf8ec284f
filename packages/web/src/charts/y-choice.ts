import { indexAtOrAfter, type Points } from './points.ts';
import type { Range } from './y-scale.ts';

/**
 * Which values a chart shows: `auto`: those that most readings need; `all`: every reading; a range that a person has chosen.
 */
export type YChoice = 'auto' | 'all' | Range;

/** The share of readings at each end that may lie outside of an automatic axis. */
const outlierShare = 0.01;
/** An automatic axis leaves out only readings that are further away than this many times what the others need. */
const fence = 0.75;

/** The lowest and the highest value; `null`: there are none. */
export interface Extent {
  readonly low: number | null;
  readonly high: number | null;
}

/** The values of lines between two moments, of those above `floor`, ascending. */
function valuesOf(
  lines: readonly { readonly points: Points }[],
  fromMs: number,
  toMs: number,
  floor: number,
): Float64Array {
  const values: number[] = [];
  for (const { points } of lines) {
    const end = indexAtOrAfter(points.x, toMs + 1);
    for (let index = indexAtOrAfter(points.x, fromMs); index < end; index += 1) {
      const y = points.y[index] ?? 0;
      if (y > floor) values.push(y);
    }
  }
  return Float64Array.from(values).sort();
}

/**
 * The values that a chart shows between two moments. `auto` leaves out single readings that are far from all others, such as
 * the first growth rates of an estimate: the chart marks them at its edge. `leastSpan`: less than this never counts as far.
 */
export function extentOf(
  lines: readonly { readonly points: Points }[],
  window: { readonly fromMs: number; readonly toMs: number },
  choice: Exclude<YChoice, Range>,
  { floor = Number.NEGATIVE_INFINITY, leastSpan = 0 }: { readonly floor?: number; readonly leastSpan?: number } = {},
): Extent {
  const values = valuesOf(lines, window.fromMs, window.toMs, floor);
  const low = values[0];
  const high = values.at(-1);
  if (low === undefined || high === undefined) return { low: null, high: null };
  if (choice === 'all') return { low, high };
  const skipped = Math.floor(values.length * outlierShare);
  const usualLow = values[skipped] ?? low;
  const usualHigh = values[values.length - 1 - skipped] ?? high;
  const room = fence * Math.max(usualHigh - usualLow, leastSpan);
  return {
    low: low < usualLow - room ? usualLow : low,
    high: high > usualHigh + room ? usualHigh : high,
  };
}
