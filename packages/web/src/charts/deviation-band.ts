import { indexAtOrAfter, nearestIndex, type Points } from './points.ts';

/** This many standard deviations on each side contain 95 % of true values. */
export const bandDeviations = 2;

/** With the bands of more units than this they would hide each other: only that of the highlighted unit is drawn. */
const mostBands = 8;

export const areBandsCrowded = (lines: readonly { readonly unit: string }[]): boolean =>
  new Set(lines.map(({ unit }) => unit)).size > mostBands;

/** A moment with the lower and the upper limit of the band. */
export interface BandPoint {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The band around an estimated line, in pieces between the moments of its `breaks`. Estimates and deviations are reduced separately, so that
 * their moments differ: the deviation nearest in time is used. Where it is not known (`NaN`) there is no band.
 */
export function deviationBand(
  points: Points,
  deviations: Points,
  breaks: readonly number[],
): readonly (readonly BandPoint[])[] {
  if (deviations.x.length === 0) return [];
  const pieces: BandPoint[][] = [[]];
  let next = 0;
  for (const [index, x] of points.x.entries()) {
    while (next < breaks.length && (breaks[next] ?? 0) < x) {
      pieces.push([]);
      next += 1;
    }
    const y = points.y[index] ?? 0;
    const half = bandDeviations * (deviations.y[nearestIndex(deviations.x, x)] ?? 0);
    if (Number.isNaN(half)) {
      pieces.push([]);
      continue;
    }
    pieces.at(-1)?.push({ x, low: y - half, high: y + half });
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** Half the usual height of the bands of estimated lines between two moments; 0 where there are none. */
export function usualHalfBand(
  lines: readonly { readonly deviations: Points | null }[],
  fromMs: number,
  toMs: number,
): number {
  const halves = lines
    .flatMap(({ deviations }) =>
      deviations === null
        ? []
        : deviations.y.slice(indexAtOrAfter(deviations.x, fromMs), indexAtOrAfter(deviations.x, toMs + 1)),
    )
    .filter((deviation) => !Number.isNaN(deviation))
    .sort((one, other) => one - other);
  return bandDeviations * (halves[halves.length >> 1] ?? 0);
}
