import { hourMs } from '@lcs/contract';
import { digitsText } from '../ui/number-text.ts';
import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import type { MeanChange } from './mean-changes.ts';
import { indexAtOrAfter } from './points.ts';
import { type Range, yRange } from './y-scale.ts';

type Values = readonly (number | null)[];

/** A predicted line with its band, over hours from the start. */
export interface BandLine {
  readonly unit: string;
  readonly name: string;
  readonly hours: readonly number[];
  readonly median: Values;
  readonly low: Values;
  readonly high: Values;
  /** Of a mean: of how many units each of its values is. */
  readonly counts?: readonly number[];
  /** Of a mean: where it is of other units than before; its line has a gap there. */
  readonly changes?: readonly MeanChange[];
}

/** A column whose gaps reach to the values beside them, over moments that only other lines have. */
function withWholeGaps(column: readonly (number | null | undefined)[]): (number | null | undefined)[] {
  const whole = [...column];
  const spread = (row: number, from: number): void => {
    if (whole[row] === undefined && whole[from] === null) whole[row] = null;
  };
  for (let row = 1; row < whole.length; row += 1) spread(row, row - 1);
  for (let row = whole.length - 2; row >= 0; row -= 1) spread(row, row + 1);
  return whole;
}

/** All lines over one common column of moments (ms from the start); three columns for each line: median, low, high. */
export function bandColumns(
  lines: readonly BandLine[],
): readonly [x: number[], ...ys: (number | null | undefined)[][]] {
  const x = [...new Set(lines.flatMap(({ hours }) => hours.map((hour) => hour * hourMs)))].sort((a, b) => a - b);
  const rows = new Map(x.map((moment, row) => [moment, row]));
  const columns = lines.flatMap(({ hours, median, low, high }) =>
    [median, low, high].map((values) => {
      const column = new Array<number | null | undefined>(x.length).fill(undefined);
      for (const [index, hour] of hours.entries()) column[rows.get(hour * hourMs) ?? 0] = values[index] ?? null;
      return withWholeGaps(column);
    }),
  );
  return [x, ...columns];
}

/** How much of a band the axis contains beyond the lines: all of it, or at most as much as the lines reach themselves. */
export type BandRoom = 'whole' | 'as-lines';

/** The shown range of values: that of the lines and of their bands. A band that is cut makes no line flat. */
export function bandRange(lines: readonly BandLine[], room: BandRoom = 'whole'): Range {
  const medians = lines.flatMap(({ median }) => known(median));
  const [lowest, highest] = [least(medians), most(medians)];
  const edges = lines.flatMap(({ low, high }) => [...known(low), ...known(high)]);
  const [bottom, top] = [least([...edges, ...medians]), most([...edges, ...medians])];
  const isWhole = room === 'whole' || lowest === null || highest === null || lowest === highest;
  if (isWhole || bottom === null || top === null) return yRange(bottom, top, [0, 1]);
  const span = highest - lowest;
  return yRange(Math.max(bottom, lowest - span), Math.min(top, highest + span), [0, 1]);
}

/** Whether a range of values cuts a band. */
export const isBandCut = (lines: readonly BandLine[], [bottom, top]: Range): boolean =>
  lines.some(({ low, high }) => known(low).some((value) => value < bottom) || known(high).some((value) => value > top));

const known = (values: Values): readonly number[] => values.filter((value) => value !== null);
const least = (values: readonly number[]): number | null =>
  values.reduce((low: number | null, value) => (low === null ? value : Math.min(low, value)), null);
const most = (values: readonly number[]): number | null =>
  values.reduce((high: number | null, value) => (high === null ? value : Math.max(high, value)), null);

/** Where the last hour of all lines is, in milliseconds. */
export const bandEndMs = (lines: readonly BandLine[]): number =>
  Math.max(hourMs / 60, ...lines.map(({ hours }) => (hours.at(-1) ?? 0) * hourMs));

const rounded = (value: number): string => digitsText(value, 3);

/** `0.42 (0.38 to 0.46)`, or a dash where nothing is predicted. */
export function bandText({ median, low, high }: Pick<BandLine, 'median' | 'low' | 'high'>, index: number): string {
  const [middle, least, most] = [median[index], low[index], high[index]];
  if (middle === null || middle === undefined) return '–';
  if (least === null || least === undefined || most === null || most === undefined) return rounded(middle);
  return commonWords.valueWithRange(rounded(middle), rounded(least), rounded(most));
}

/** The value of a line at an hour, and of how many units it is; a dash in a gap, before its first and after its last hour. */
export function bandTextAt(line: BandLine, hour: number): string {
  const { hours, counts } = line;
  const index = indexAtOrAfter(hours, hour);
  if (index >= hours.length || (index === 0 && hour < (hours[0] ?? 0))) return '–';
  const isInGap = line.median[index] == null || (hours[index] !== hour && line.median[index - 1] === null);
  if (isInGap) return '–';
  const count = counts?.[index];
  return `${bandText(line, index)}${count === undefined ? '' : chartsWords.andCountN(count)}`;
}

/** The chart in one sentence, for screen readers. */
export function bandSummary(title: string, unit: string, lines: readonly BandLine[]): string {
  // Jobs that have stopped predict nothing any more: the last value counts.
  const ends = lines.map(
    (line) =>
      `${line.name} ${bandText(
        line,
        line.median.findLastIndex((value) => value !== null),
      )}`,
  );
  return chartsWords.atEnd(title, unit, ends.join('; '));
}
