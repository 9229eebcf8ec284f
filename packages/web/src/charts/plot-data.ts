import { breaksOf } from './gaps.ts';
import type { Line } from './line-cache.ts';
import { indexAtOrAfter } from './points.ts';

/** A value; `null` where the line is broken; `undefined` where only another line has a point. */
export type PlotValue = number | null | undefined;

/** All lines over one common column of moments, as the drawing library expects them. */
export interface PlotData {
  readonly x: number[];
  readonly ys: PlotValue[][];
}

/** Aligns lines to common moments; a pause breaks a line. */
export function plotData(lines: readonly Line[]): PlotData {
  const breaks = lines.map(({ points }) => breaksOf(points.x));
  const total = lines.reduce((sum, { points }, index) => sum + points.x.length + (breaks[index]?.length ?? 0), 0);
  const all = new Float64Array(total);
  let filled = 0;
  for (const [index, { points }] of lines.entries()) {
    all.set(points.x, filled);
    filled += points.x.length;
    all.set(breaks[index] ?? [], filled);
    filled += breaks[index]?.length ?? 0;
  }
  all.sort();
  const x: number[] = [];
  for (const moment of all) if (moment !== x.at(-1)) x.push(moment);
  const ys = lines.map(({ points }, line) => {
    const column = new Array<PlotValue>(x.length).fill(undefined);
    let row = 0;
    for (const [index, moment] of points.x.entries()) {
      while ((x[row] ?? Number.POSITIVE_INFINITY) < moment) row += 1;
      column[row] = points.y[index];
    }
    // The whole pause is `null`, not only its middle: other lines have moments in it.
    for (const moment of breaks[line] ?? []) {
      const middle = indexAtOrAfter(x, moment);
      for (let at = middle; column[at] === undefined && at < x.length; at += 1) column[at] = null;
      for (let at = middle - 1; column[at] === undefined && at >= 0; at -= 1) column[at] = null;
    }
    return column;
  });
  return { x, ys };
}

/** The lowest and the highest value of lines between two moments, of those above `floor`. */
export function extentOf(
  lines: readonly Line[],
  fromMs: number,
  toMs: number,
  floor = Number.NEGATIVE_INFINITY,
): { readonly low: number | null; readonly high: number | null } {
  let low: number | null = null;
  let high: number | null = null;
  for (const { points } of lines) {
    const end = indexAtOrAfter(points.x, toMs + 1);
    for (let index = indexAtOrAfter(points.x, fromMs); index < end; index += 1) {
      const y = points.y[index] ?? 0;
      if (y <= floor) continue;
      if (low === null || y < low) low = y;
      if (high === null || y > high) high = y;
    }
  }
  return { low, high };
}

/** Rows of single values between two breaks of their line. */
export function isolatedRows(column: ArrayLike<PlotValue>): readonly number[] {
  const rows: number[] = [];
  let last = 0;
  let count = 0;
  const close = (): void => {
    if (count === 1) rows.push(last);
    count = 0;
  };
  for (let row = 0; row < column.length; row += 1) {
    if (column[row] === null) close();
    else if (column[row] !== undefined) {
      last = row;
      count += 1;
    }
  }
  close();
  return rows;
}
