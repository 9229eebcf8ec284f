import type { SqlReader } from '@lcs/platform/sql-reader';
import type { DatasetColumn } from '../dataset.ts';
import { mergedBlocks } from './merge.ts';
import { utcText } from './minute-text.ts';
import type { Cell, DataRow, RowSelection, RowSource } from './row-source.ts';
import { batchFor, expectedSamples, SampleReader, type StoredSeries, storedSeries } from './series-cursors.ts';

/** Numbers the groups of lines in the order of their rows. */
export function groupsOf(
  lines: readonly { readonly experiment: string; readonly unit: string }[],
  { byExperiment, byUnit }: Pick<RowSelection, 'byExperiment' | 'byUnit'>,
): (line: { readonly experiment: string; readonly unit: string }) => number {
  const keyOf = (line: { readonly experiment: string; readonly unit: string }) =>
    JSON.stringify([byExperiment ? line.experiment : '', byUnit ? line.unit : '']);
  const keys = [...new Set(lines.map(keyOf))].sort();
  const numbers = new Map(keys.map((key, index) => [key, index]));
  return (line) => numbers.get(keyOf(line)) ?? 0;
}

/** The number of lines that are read in parallel: groups follow one another. */
export function largestGroup<Line>(lines: readonly Line[], groupOf: (line: Line) => number): number {
  return [...Map.groupBy(lines, groupOf).values()].reduce((most, { length }) => Math.max(most, length), 0);
}

/** The parts of a row that are the same for all rows of a series. */
function fixedCells(series: StoredSeries, columns: readonly DatasetColumn[]): Cell[] {
  return columns.map(({ name, kind }) => {
    if (name === 'experiment') return series.experiment;
    if (name === 'reactor_unit') return series.unit;
    if (name === 'channel') return series.channel === null || kind === 'text' ? series.channel : Number(series.channel);
    if (name === 'angle') return series.angle;
    return null;
  });
}

/** Samples per block. */
const largestBlock = 4_096;

/** Samples of one source as rows, in the order of time. */
export function readingRows(
  database: SqlReader,
  source: string,
  columns: readonly DatasetColumn[],
  selection: RowSelection,
): RowSource {
  const series = storedSeries(database, [source], selection.experiments);
  const groupOf = groupsOf(series, selection);
  const timeIndex = columns.findIndex(({ name }) => name === 'timestamp');
  const valueIndex = columns.findIndex(
    ({ name }) => !['experiment', 'reactor_unit', 'timestamp', 'angle', 'channel'].includes(name),
  );
  function* blocks() {
    const reader = new SampleReader(database, {
      ...selection,
      batch: batchFor(largestGroup(series, groupOf), selection.batch),
    });
    const lines = series.map((one, rank) => ({
      cursor: reader.open(one.id),
      line: fixedCells(one, columns),
      group: groupOf(one),
      rank,
    }));
    try {
      yield* mergedBlocks(lines, selection.order === 'descending', Math.min(largestBlock, selection.batch));
    } finally {
      reader.close();
    }
  }
  return {
    columns,
    expected: selection.order === 'any' ? undefined : expectedSamples(database, series, selection),
    samples: { timeIndex, valueIndex, blocks },
    *rows(): Generator<DataRow, void, undefined> {
      const time = utcText();
      for (const { lines, at, values, length } of blocks()) {
        for (let index = 0; index < length; index += 1) {
          const row = [...(lines[index] ?? [])];
          row[timeIndex] = time.of(at[index] ?? 0);
          row[valueIndex] = values[index] ?? 0;
          yield row;
        }
      }
    },
  };
}
