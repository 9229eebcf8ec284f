import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInDatasets } from '../datasets/built-in-datasets.ts';
import { type MergedLine, mergedBlocks } from '../datasets/rows/merge.ts';
import { utcText } from '../datasets/rows/minute-text.ts';
import type { Cell, DataRow, RowSource } from '../datasets/rows/row-source.ts';
import { CsvFile } from './csv-file.ts';
import { CsvSamples } from './csv-samples.ts';
import { exportedRows } from './exported-rows.ts';

const createdMs = Date.UTC(2026, 2, 28, 22, 0, 0, 500);
const timeZone = 'Europe/Berlin';

interface Sample {
  readonly at: number;
  readonly value: number;
}

const descriptor = builtInDatasets.find(({ descriptor: one }) => one.dataset_name === 'od_readings')?.descriptor;
const columns = [
  { name: 'experiment', kind: 'text' },
  { name: 'reactor_unit', kind: 'text' },
  { name: 'timestamp', kind: 'text' },
  { name: 'od_reading', kind: 'real' },
  { name: 'angle', kind: 'integer' },
  { name: 'channel', kind: 'integer' },
] as const;

/** Lines of samples, each of one series, as a dataset reads them. */
function sourceOf(
  series: readonly { readonly cells: readonly Cell[]; readonly samples: readonly Sample[] }[],
): RowSource {
  const blocks = () => {
    const lines = series.map(({ cells, samples }, rank): MergedLine<DataRow> => {
      let next = 0;
      const cursor = {
        at: 0,
        value: 0,
        next: () => {
          const sample = samples[next];
          if (sample === undefined) return false;
          next += 1;
          Object.assign(cursor, sample);
          return true;
        },
      };
      return { cursor, line: cells, group: 0, rank };
    });
    return mergedBlocks(lines, false, 7);
  };
  const time = utcText();
  return {
    columns,
    expected: undefined,
    samples: { timeIndex: 2, valueIndex: 3, blocks },
    *rows() {
      for (const { lines, at, values, length } of blocks()) {
        for (let index = 0; index < length; index += 1) {
          const row = [...(lines[index] ?? [])];
          row[2] = time.of(at[index] ?? 0);
          row[3] = values[index] ?? 0;
          yield row;
        }
      }
    },
  };
}

const samples = fc.array(
  fc.record({
    // Around the night in which clocks in Berlin are put forward.
    at: fc.integer({ min: createdMs - 3_600_000, max: createdMs + 12 * 3_600_000 }),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  { maxLength: 30 },
);
const series = fc.record({
  cells: fc.tuple(
    fc.constantFrom('exp 1', 'exp, "2"', 'unknown'),
    fc.constantFrom('unit1', 'µ 2'),
    fc.constant(null),
    fc.constant(null),
    fc.constantFrom(null, 45, 90),
    fc.constantFrom(null, 1, 2),
  ),
  samples: samples.map((list) => list.toSorted((a, b) => a.at - b.at)),
});

it('writes the bytes that rows of the same samples become', () => {
  expect(descriptor).toBeDefined();
  if (descriptor === undefined) return;
  const createdAt = new Map([
    ['exp 1', createdMs],
    ['exp, "2"', createdMs + 1_234_567],
  ]);
  fc.assert(
    fc.property(fc.array(series, { maxLength: 5 }), (all) => {
      const exported = exportedRows(descriptor, sourceOf(all), { createdAt, timeZone });
      const file = { columns: exported.columns, timestamps: new Set<string>() };
      const byRow = new CsvFile(file);
      for (const row of exported.rows()) byRow.add(row);
      const { cellsOf = () => [], blocks = () => [] } = exported.samples ?? {};
      const bySample = new CsvSamples(file, { cellsOf, timeZone });
      for (const block of blocks()) bySample.add(block);
      expect(Buffer.from(bySample.take()).toString('utf8')).toBe(Buffer.from(byRow.finish()).toString('utf8'));
    }),
    { numRuns: 200 },
  );
});
