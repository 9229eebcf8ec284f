import { deflateRawSync } from 'node:zlib';
import type { ExportFormat } from '@lcs/contract';
import { activityReadings } from '../datasets/activity-columns.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { ClassicConnection } from '../datasets/rows/classic-connection.ts';
import { expectedMinuteRows } from '../datasets/rows/minute-rows.ts';
import { openRows } from '../datasets/rows/open-rows.ts';
import { type Cell, isByUnit, type RowSelection, type RowSource } from '../datasets/rows/row-source.ts';
import { countEvents, countSqlRows } from '../datasets/rows/sql-rows.ts';
import { CsvFile } from './csv-file.ts';
import type { FileColumns } from './data-file.ts';
import { creationOfExperiments } from './export-names.ts';
import { type DatasetEstimate, type EstimateOrder, unknownEstimate } from './export-protocol.ts';
import { exportedRows } from './exported-rows.ts';
import { ParquetFile } from './parquet-file.ts';
import { DatasetUnreadable, unreadable } from './refused-dataset.ts';

/** Rows whose text gives the mean length of a row: some milliseconds. */
const sampledRows = 1_000;

/** Rows of each series that are read at a time. */
const rowsPerBatch = 50;

/** Counting stops after this time; the other datasets have no estimate. A person waits for it. */
const limitMs = 4_000;

/** A fit takes a second and its row some 800 bytes: none is computed to learn its length. */
const fitBytes = 800;

/** The compression of CSV files of an export. */
const csvLevel = 1;

export interface EstimateTools {
  readonly connection: ClassicConnection;
  /** Milliseconds from an arbitrary start. */
  readonly monotonicMs: () => number;
  /** Called with each dataset at once: the next one may take longer than a person waits. */
  readonly onEstimate: (estimate: DatasetEstimate) => void;
}

/** The size of an export: rows by counts that the store keeps, bytes by the mean length of the first rows. */
export function estimateExport(
  order: EstimateOrder,
  { connection, monotonicMs, onEstimate }: EstimateTools,
): DatasetEstimate[] {
  const endMs = monotonicMs() + limitMs;
  const createdAt = creationOfExperiments(connection.database);
  const estimateOf = (dataset: Dataset): DatasetEstimate => {
    const { dataset_name } = dataset.descriptor;
    const none = unknownEstimate(dataset_name);
    // A query of a person may take any time.
    if (monotonicMs() > endMs) return none;
    try {
      return { dataset_name, ...estimated(connection, dataset, order, createdAt) };
    } catch (error) {
      const refused = unreadable(dataset, error);
      if (!(refused instanceof DatasetUnreadable)) throw refused;
      // What cannot be read is not exported either.
      return none;
    }
  };
  return order.datasets.map((dataset) => {
    const estimate = estimateOf(dataset);
    onEstimate(estimate);
    return estimate;
  });
}

function estimated(
  connection: ClassicConnection,
  dataset: Dataset,
  { experiment, fromMs, toMs, format }: EstimateOrder,
  createdAt: ReadonlyMap<string, number>,
): Omit<DatasetEstimate, 'dataset_name'> {
  const { reader } = dataset;
  const selection: RowSelection = {
    experiments: [experiment],
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    byExperiment: false,
    // Rows of one unit after the other compress better.
    byUnit: isByUnit(dataset, false),
    // Series are merged in the order of time; a query would be sorted for it.
    order: reader.is === 'sql' ? 'any' : 'ascending',
    batch: rowsPerBatch,
  };
  const counted = countEvents(connection, dataset, selection);
  // Texts are compared in each row; where the rows are counted already, those of another time are as long.
  const { fromMs: _from, toMs: _to, ...ofAllTime } = selection;
  const source = openRows(connection, dataset, counted === undefined ? selection : ofAllTime);
  if (reader.is === 'growth_fits') {
    const rows = source.expected ?? 0;
    return { rows, bytes: rows * fitBytes, zip_bytes: rows * fitBytes };
  }
  const sample = counted === 0 ? [] : firstRows(source);
  const rows =
    counted ??
    (sample.length < sampledRows ? sample.length : countRows(connection, dataset, selection, { source, sample }));
  const exported = exportedRows(
    dataset.descriptor,
    { ...source, rows: () => sample },
    { createdAt, timeZone: undefined },
  );
  const timestamps = new Set(dataset.descriptor.timestamp_columns);
  const size = sizeOf({ columns: exported.columns, timestamps }, exported.rows(), format);
  const scale = sample.length === 0 ? 1 : rows / sample.length;
  return { rows, bytes: Math.round(size.bytes * scale), zip_bytes: Math.round(size.zipBytes * scale) };
}

function firstRows(source: RowSource): readonly (readonly Cell[])[] {
  const sample: (readonly Cell[])[] = [];
  for (const row of source.rows()) {
    sample.push(row);
    if (sample.length >= sampledRows) break;
  }
  return sample;
}

interface Sampled {
  readonly source: RowSource;
  readonly sample: readonly (readonly Cell[])[];
}

/** At least the rows of the sample. */
function countRows(
  connection: ClassicConnection,
  dataset: Dataset,
  selection: RowSelection,
  { source, sample }: Sampled,
): number {
  const least = sample.length;
  switch (dataset.reader.is) {
    case 'sql':
      return Math.max(least, countSqlRows(connection, dataset, selection));
    case 'minutes':
      return Math.max(least, expectedMinuteRows(connection.database, selection));
    case 'activity':
      return Math.max(least, Math.round((source.expected ?? 0) / readingsPerRow(source, sample)));
    default:
      return Math.max(least, source.expected ?? 0);
  }
}

/** A row of the wide table holds the readings of a moment. */
function readingsPerRow({ columns }: RowSource, sample: Sampled['sample']): number {
  const names = new Set<string>(activityReadings.map(({ column }) => column));
  const indexes = columns.flatMap(({ name }, index) => (names.has(name) ? [index] : []));
  const readings = sample.reduce((sum, row) => sum + indexes.filter((index) => row[index] !== null).length, 0);
  return Math.max(1, readings / Math.max(1, sample.length));
}

function sizeOf(file: FileColumns, rows: Iterable<readonly Cell[]>, format: ExportFormat) {
  const writer = format === 'csv' ? new CsvFile(file) : new ParquetFile(file);
  const pieces: Uint8Array[] = [];
  for (const row of rows) if (writer.add(row)) pieces.push(writer.take());
  const content = Buffer.concat([...pieces, writer.finish()]);
  const bytes = content.byteLength;
  // Parquet files are compressed already, and stored as they are.
  return { bytes, zipBytes: format === 'csv' ? deflateRawSync(content, { level: csvLevel }).byteLength : bytes };
}
