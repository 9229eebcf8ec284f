import type { SqlReader } from '@lcs/platform/sql-reader';
import type { DatasetColumn } from '../dataset.ts';
import { type MergedLine, merged } from './merge.ts';
import { utcText } from './minute-text.ts';
import { groupsOf, largestGroup } from './reading-rows.ts';
import type { Cell, DataRow, RowSelection, RowSource } from './row-source.ts';
import { batchFor, expectedSamples, SampleReader, type StoredSeries, storedSeries } from './series-cursors.ts';

/** A row for each unit and time, with a column for each channel. */
export function pwmRows(
  database: SqlReader,
  source: string,
  columns: readonly DatasetColumn[],
  selection: RowSelection,
): RowSource {
  const series = storedSeries(database, [source], selection.experiments);
  const groupOf = groupsOf(series, selection);
  const rankOf = groupsOf(series, { byExperiment: true, byUnit: true });
  const columnOf = ({ channel }: StoredSeries) => columns.findIndex(({ name }) => name === `channel_${channel}`);
  const place = (name: string) => columns.findIndex((column) => column.name === name);
  const [experimentIndex, unitIndex, timeIndex] = [place('experiment'), place('reactor_unit'), place('timestamp')];
  const emptyRow = ({ experiment, unit }: StoredSeries, time: string): Cell[] => {
    const row = new Array<Cell>(columns.length).fill(null);
    row[experimentIndex] = experiment;
    row[unitIndex] = unit;
    row[timeIndex] = time;
    return row;
  };
  return {
    columns,
    expected: selection.order === 'any' ? undefined : expectedSamples(database, series, selection),
    *rows(): Generator<DataRow, void, undefined> {
      const batch = batchFor(largestGroup(series, groupOf), selection.batch);
      const reader = new SampleReader(database, { ...selection, batch });
      const lines = series.map(
        (line): MergedLine<StoredSeries> => ({
          cursor: reader.open(line.id),
          line,
          group: groupOf(line),
          rank: rankOf(line),
        }),
      );
      const time = utcText();
      try {
        let open: { readonly at: number; readonly rank: number; readonly row: Cell[] } | undefined;
        for (const { line, cursor, rank } of merged(lines, selection.order === 'descending')) {
          if (open === undefined || open.at !== cursor.at || open.rank !== rank) {
            if (open !== undefined) yield open.row;
            open = { at: cursor.at, rank, row: emptyRow(line, time.of(cursor.at)) };
          }
          const column = columnOf(line);
          if (column >= 0) open.row[column] = Math.max(cursor.value, Number(open.row[column] ?? cursor.value));
        }
        if (open !== undefined) yield open.row;
      } finally {
        reader.close();
      }
    },
  };
}
