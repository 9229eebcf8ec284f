import type { ExportableDataset } from '@lcs/contract';
import { generatedColumns, hoursColumn } from '../datasets/describe-dataset.ts';
import { localText, timestampParser } from '../datasets/rows/minute-text.ts';
import type { Cell, DataRow, RowSource, SampleSource, SourceColumn } from '../datasets/rows/row-source.ts';

export interface GeneratedFrom {
  /** The creation times of experiments, ms, by name. */
  readonly createdAt: ReadonlyMap<string, number>;
  readonly timeZone: string | undefined;
}

export const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000);

/** A cell of a sample's row: the same for all of its series, its time, its value, or computed from its time. */
export type SampleCell =
  | { readonly is: 'fixed'; readonly cell: Cell }
  | { readonly is: 'utc' | 'local' | 'value' }
  | { readonly is: 'hours'; readonly createdS: number };

/** The samples of an export, if the dataset consists of samples. */
export interface ExportedSamples {
  readonly blocks: SampleSource['blocks'];
  /** The cells of a row of this line, in the order of the exported columns. */
  readonly cellsOf: (line: DataRow) => readonly SampleCell[];
}

interface ExportedRows {
  readonly columns: readonly SourceColumn[];
  rows(): Iterable<Cell[]>;
  readonly samples?: ExportedSamples;
}

/** The rows of an export: the stored columns, then the generated ones. */
export function exportedRows(
  descriptor: ExportableDataset,
  source: RowSource,
  { createdAt, timeZone }: GeneratedFrom,
): ExportedRows {
  const { timestamp_columns: timestamps, default_order_by: orderBy } = descriptor;
  const indexOf = (name: string): number => source.columns.findIndex((column) => column.name === name);
  const names = generatedColumns(descriptor);
  const times = timestamps.map((name) => ({ index: indexOf(name), text: localText(timeZone) }));
  const hasHours = names.includes(hoursColumn);
  const [experiment, ordered] = [indexOf('experiment'), indexOf(orderBy)];
  const createdMs = (row: DataRow) => createdAt.get(String(row[experiment] ?? ''));
  const msOf = timestampReader();
  const hours = (row: DataRow): Cell => {
    const created = createdMs(row);
    const ms = msOf(row[ordered] ?? null);
    if (created === undefined || Number.isNaN(ms)) return null;
    return (wholeSeconds(ms) - wholeSeconds(created)) / 3_600;
  };
  return {
    ...(source.samples ? { samples: exportedSamples(source.samples, names, createdMs) } : {}),
    columns: [
      ...source.columns,
      ...names.map((name): SourceColumn => ({ name, kind: name === hoursColumn ? 'real' : 'text' })),
    ],
    *rows() {
      for (const row of source.rows()) {
        const whole = [...row];
        for (const { index, text } of times) {
          const ms = msOf(row[index] ?? null);
          whole.push(Number.isNaN(ms) ? null : text.of(ms));
        }
        if (hasHours) whole.push(hours(row));
        yield whole;
      }
    },
  };
}

/** Reads time stamps as milliseconds, NaN for none; those of neighbouring rows and columns are mostly the same or close. */
function timestampReader(): (cell: Cell) => number {
  const read = timestampParser();
  let last: Cell = null;
  let lastMs = Number.NaN;
  return (cell) => {
    if (cell !== last) [last, lastMs] = [cell, cell === null ? Number.NaN : read(String(cell))];
    return lastMs;
  };
}

const exportedSamples = (
  { timeIndex, valueIndex, blocks }: SampleSource,
  generated: readonly string[],
  createdMs: (row: DataRow) => number | undefined,
): ExportedSamples => ({
  blocks,
  cellsOf: (line) => {
    const created = createdMs(line);
    return [
      ...line.map((cell, index): SampleCell => {
        if (index === timeIndex) return { is: 'utc' };
        return index === valueIndex ? { is: 'value' } : { is: 'fixed', cell };
      }),
      ...generated.map((name): SampleCell => {
        if (name !== hoursColumn) return { is: 'local' };
        if (created === undefined) return { is: 'fixed', cell: null };
        return { is: 'hours', createdS: wholeSeconds(created) };
      }),
    ];
  },
});

/** The schema of a dataset. */
export function schemaOf(descriptor: ExportableDataset, columns: readonly SourceColumn[]) {
  const generated = new Set(generatedColumns(descriptor));
  const entities = [
    ...(descriptor.has_experiment ? ['experiment'] : []),
    ...(descriptor.has_unit ? ['reactor_unit'] : []),
  ];
  const { column_descriptions: descriptions, column_units: units } = descriptor;
  return {
    schema_version: 1,
    dataset_name: descriptor.dataset_name,
    display_name: descriptor.display_name,
    description: descriptor.description,
    source: descriptor.source,
    table: descriptor.table,
    query: descriptor.query,
    default_order_by: descriptor.default_order_by,
    timestamp_columns: descriptor.timestamp_columns,
    entity_columns: entities.filter((name) => columns.some((column) => column.name === name)),
    generated_columns: [...generated],
    columns: columns.map(({ name }) => ({
      name,
      generated: generated.has(name),
      ...(Object.hasOwn(descriptions, name) && { description: descriptions[name] }),
      ...(Object.hasOwn(units, name) && { unit: units[name] }),
    })),
  };
}
