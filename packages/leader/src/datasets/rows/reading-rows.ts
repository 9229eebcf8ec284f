import type { DatabaseSync } from 'node:sqlite';
import type { DatasetColumn } from '../dataset.ts';
import { type MergedLine, merged } from './merge.ts';
import { utcText } from './minute-text.ts';
import type { Cell, DataRow, RowSource, RowsWanted } from './row-source.ts';
import {
  batchFor,
  type Cursor,
  expectedSamples,
  SampleReader,
  type StoredSeries,
  storedSeries,
} from './series-cursors.ts';

/** Numbers groups of lines as the rows shall be ordered. */
export function groupsOf(
  lines: readonly { readonly experiment: string; readonly unit: string }[],
  { byExperiment, byUnit }: Pick<RowsWanted, 'byExperiment' | 'byUnit'>,
): (line: { readonly experiment: string; readonly unit: string }) => number {
  const keyOf = (line: { readonly experiment: string; readonly unit: string }) =>
    JSON.stringify([byExperiment ? line.experiment : '', byUnit ? line.unit : '']);
  const keys = [...new Set(lines.map(keyOf))].sort();
  const numbers = new Map(keys.map((key, index) => [key, index]));
  return (line) => numbers.get(keyOf(line)) ?? 0;
}

/** How many lines are read side by side: groups come one after the other. */
export function largestGroup<Line>(lines: readonly Line[], groupOf: (line: Line) => number): number {
  return [...Map.groupBy(lines, groupOf).values()].reduce((most, { length }) => Math.max(most, length), 0);
}

/** What the columns of a row are made from that are the same for all rows of a series. */
function fixedCells(series: StoredSeries, columns: readonly DatasetColumn[]): Cell[] {
  return columns.map(({ name }) => {
    if (name === 'experiment') return series.experiment;
    if (name === 'reactor_unit') return series.unit;
    if (name === 'channel') return series.channel === null ? null : Number(series.channel);
    if (name === 'angle') return series.angle;
    return null;
  });
}

interface ReadingLine extends MergedLine<readonly Cell[]> {
  readonly cursor: Cursor;
}

/** Samples of one source as rows, in the order of time. */
export function readingRows(
  database: DatabaseSync,
  source: string,
  columns: readonly DatasetColumn[],
  wanted: RowsWanted,
): RowSource {
  const series = storedSeries(database, [source], wanted.experiments);
  const groupOf = groupsOf(series, wanted);
  const timeIndex = columns.findIndex(({ name }) => name === 'timestamp');
  const valueIndex = columns.findIndex(
    ({ name }) => !['experiment', 'reactor_unit', 'timestamp', 'angle', 'channel'].includes(name),
  );
  return {
    columns,
    expected: wanted.order === 'any' ? undefined : expectedSamples(database, series, wanted),
    *rows(): Generator<DataRow, void, undefined> {
      const reader = new SampleReader(database, {
        ...wanted,
        batch: batchFor(largestGroup(series, groupOf), wanted.batch),
      });
      const time = utcText();
      const lines = series.map(
        (one, rank): ReadingLine => ({
          cursor: reader.open(one.id),
          line: fixedCells(one, columns),
          group: groupOf(one),
          rank,
        }),
      );
      for (const { line, cursor } of merged(lines, wanted.order === 'descending')) {
        const row = [...line];
        row[timeIndex] = time.of(cursor.at);
        row[valueIndex] = cursor.value;
        yield row;
      }
    },
  };
}
