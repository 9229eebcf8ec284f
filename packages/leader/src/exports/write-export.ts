import { dirname } from 'node:path';
import { minuteMs } from '@lcs/contract/durations';
import type { Dataset } from '../datasets/dataset.ts';
import type { ClassicConnection } from '../datasets/rows/classic-connection.ts';
import type { MergedBlock } from '../datasets/rows/merge.ts';
import { localText, utcText } from '../datasets/rows/minute-text.ts';
import { openRows } from '../datasets/rows/open-rows.ts';
import { type DataRow, isByUnit, type RowSelection, type RowSource } from '../datasets/rows/row-source.ts';
import { Archive } from './archive.ts';
import { CsvFile } from './csv-file.ts';
import { CsvSamples } from './csv-samples.ts';
import type { DataFileWriter, FileColumns } from './data-file.ts';
import { allExperiments, allUnits, creationOfExperiments, FileNames, type Partition } from './export-names.ts';
import type { ExportedFile, ExportOrder, RefusedDataset, SkippedDataset } from './export-protocol.ts';
import { type ExportedSamples, exportedRows, type GeneratedFrom, schemaOf } from './exported-rows.ts';
import { foreignKinds } from './foreign-kinds.ts';
import { ParquetFile } from './parquet-file.ts';
import { provenanceOf } from './provenance.ts';
import { DatasetUnreadable, unreadable } from './refused-dataset.ts';
import { checkResources, type HostResources, InsufficientResources } from './resource-limits.ts';

export interface ExportTools {
  readonly connection: ClassicConnection;
  /** The store, if it is a file. */
  readonly databasePath?: string;
  readonly resources: HostResources;
  /** Milliseconds from an arbitrary start. */
  readonly monotonicMs: () => number;
  readonly progress: (fraction: number, message: string) => void;
}

/**
 * Bytes after which a piece goes into the archive. Each stream holds about one, and a large one lives long enough to reach the old
 * generation: pieces of 256 kB take 7 MB more and no less time.
 */
const pieceLength = 64 * 1_024;

/** Rows per series that are read at a time. */
const rowsPerBatch = 1_000;

/** The limits are checked after this many rows, when this much time has passed. */
const rowsBetweenChecks = 5_000;
const msBetweenChecks = 2_000;

/** Files of readings are compressed while they are written: level 1 takes a third of the time of the usual one. */
const csvLevel = 1;
const storedLevel = 0;

interface WrittenFile {
  readonly path: string;
  readonly row_count: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly partition: Partition;
  readonly data_start: string | null;
  readonly data_end: string | null;
}

/** Progress of a file. */
interface WrittenRows {
  rows: number;
  first: string | null;
  last: string | null;
}

/** The conversion of the runs of rows of a dataset, each of one partition, to the bytes of a file. */
interface Runs<Run> {
  readonly lengthOf: (run: Run) => number;
  /** Cells that all rows of a run share, among them experiment and unit. */
  readonly cellsOf: (run: Run) => DataRow;
  readonly pieces: (runs: Iterable<Run>, written: WrittenRows) => Iterable<Uint8Array>;
}

interface DatasetParts {
  readonly source: RowSource;
  readonly dataset: Dataset;
  readonly index: number;
  readonly file: FileColumns;
  readonly byUnit: boolean;
  readonly byExperiment: boolean;
}

/**
 * Writes one export. Invalid datasets of people are skipped and listed, so that the rest is exported.
 * @throws InsufficientResources; DatasetUnreadable when no other dataset was requested, or when a query fails during the export
 */
export async function writeExport(order: ExportOrder, tools: ExportTools): Promise<ExportedFile> {
  return new ExportWriter(order, tools).write();
}

class ExportWriter {
  readonly #order: ExportOrder;
  readonly #tools: ExportTools;
  readonly #archive: Archive;
  readonly #names: FileNames;
  readonly #from: GeneratedFrom;
  #lastCheckMs: number;

  constructor(order: ExportOrder, tools: ExportTools) {
    this.#order = order;
    this.#tools = tools;
    this.#lastCheckMs = tools.monotonicMs();
    this.#checkResources();
    const moment = localText(order.timeZone).of(order.nowMs).replaceAll(/\D/g, '').slice(0, 14);
    this.#names = new FileNames(moment, order.format);
    this.#from = { createdAt: creationOfExperiments(tools.connection.database), timeZone: order.timeZone };
    this.#archive = new Archive(order.path, order.nowMs);
  }

  async write(): Promise<ExportedFile> {
    const { datasets } = this.#order;
    const described: Awaited<ReturnType<ExportWriter['dataset']>>[] = [];
    const refused: DatasetUnreadable[] = [];
    for (const [index, dataset] of datasets.entries()) {
      this.#checkResources();
      const source = this.#open(dataset);
      if (source instanceof DatasetUnreadable) refused.push(source);
      else described.push(await this.dataset(dataset, source, index));
    }
    const [first] = refused;
    if (described.length === 0 && first !== undefined) throw first;
    const skipped = [...this.#order.skipped, ...refused.map(({ refused }) => skippedOf(refused))];
    const { experiments, appVersion } = this.#order;
    const provenance = provenanceOf(this.#tools.connection.database, experiments, appVersion);
    await this.#archive.text('provenance.json', jsonText(provenance));
    await this.#archive.text('manifest.json', jsonText(this.#manifest(described, skipped)));
    const { bytes, sha256 } = await this.#archive.close();
    return { bytes, sha256, rowCount: described.reduce((sum, { row_count }) => sum + row_count, 0), skipped };
  }

  #partsOf(dataset: Dataset) {
    return {
      byUnit: isByUnit(dataset, this.#order.byUnit),
      byExperiment: dataset.descriptor.has_experiment && this.#order.byExperiment,
    };
  }

  async dataset(dataset: Dataset, source: RowSource, index: number) {
    const { descriptor } = dataset;
    const { dataset_name: name, display_name } = descriptor;
    const { byUnit, byExperiment } = this.#partsOf(dataset);
    const exported = exportedRows(descriptor, source, this.#from);
    const timestamps = new Set(descriptor.timestamp_columns);
    this.#archive.folder(`${name}/`);
    await this.#archive.text(`${name}/schema.json`, jsonText(schemaOf(descriptor, exported.columns)));
    const { format } = this.#order;
    const file = { columns: exported.columns, timestamps };
    const parts = { source, dataset, index, file, byUnit, byExperiment };
    const files =
      format === 'csv' && exported.samples
        ? await this.#partitions(exported.samples.blocks(), this.#sampleRuns(file, exported.samples), parts)
        : await this.#partitions(exported.rows(), this.#rowRuns(dataset, file), parts);
    return {
      dataset_name: name,
      display_name,
      schema_path: `${name}/schema.json`,
      [`${format}_paths`]: files.map(({ path }) => path),
      [`${format}_files`]: files,
      row_count: files.reduce((sum, { row_count }) => sum + row_count, 0),
      partition_values: {
        experiments: byExperiment ? distinct(files, 'experiment', allExperiments) : [],
        reactor_units: byUnit ? distinct(files, 'reactor_unit', allUnits) : [],
      },
    };
  }

  #open(dataset: Dataset): RowSource | DatasetUnreadable {
    const { experiments, fromMs, toMs, format } = this.#order;
    const wanted: RowSelection = {
      experiments,
      ...(fromMs === undefined ? {} : { fromMs }),
      ...(toMs === undefined ? {} : { toMs }),
      ...this.#partsOf(dataset),
      order: 'ascending',
      batch: rowsPerBatch,
    };
    const { connection } = this.#tools;
    try {
      const source = openRows(connection, dataset, wanted);
      return format === 'parquet' ? { ...source, columns: foreignKinds(connection, dataset, source) } : source;
    } catch (error) {
      const refused = unreadable(dataset, error);
      if (refused instanceof DatasetUnreadable) return refused;
      throw refused;
    }
  }

  /** Rows, one by one. */
  #rowRuns({ descriptor }: Dataset, file: FileColumns): Runs<DataRow> {
    const ordered = file.columns.findIndex(({ name }) => name === descriptor.default_order_by);
    const isCsv = this.#order.format === 'csv';
    return {
      lengthOf: () => 1,
      cellsOf: (row) => row,
      pieces: function* (rows, written) {
        const writer: DataFileWriter = isCsv ? new CsvFile(file) : new ParquetFile(file);
        let last: DataRow | undefined;
        for (const row of rows) {
          if (written.rows === 0) written.first = textOf(row[ordered]);
          written.rows += 1;
          last = row;
          if (writer.add(row)) yield writer.take();
        }
        written.last = textOf(last?.[ordered]);
        yield writer.finish();
      },
    };
  }

  /** Samples, many at a time. */
  #sampleRuns(file: FileColumns, { cellsOf }: ExportedSamples): Runs<MergedBlock<DataRow>> {
    const { timeZone } = this.#order;
    return {
      lengthOf: ({ length }) => length,
      cellsOf: ({ lines }) => lines[0] ?? [],
      pieces: function* (blocks, written) {
        const writer = new CsvSamples(file, { cellsOf, timeZone });
        const time = utcText();
        for (const block of blocks) {
          written.first ??= time.of(block.at[0] ?? 0);
          written.last = time.of(block.at[block.length - 1] ?? 0);
          written.rows += block.length;
          writer.add(block);
          if (writer.length >= pieceLength) yield writer.take();
        }
        yield writer.take();
      },
    };
  }

  /** The runs, with periodic checks of the limits and reports of progress. */
  *#withChecks<Run>(
    runs: Iterable<Run>,
    { lengthOf }: Runs<Run>,
    { source, dataset, index }: DatasetParts,
  ): Generator<Run, void, undefined> {
    const { monotonicMs, progress } = this.#tools;
    const { display_name } = dataset.descriptor;
    const all = this.#order.datasets.length;
    const report = (part: number, count: number) =>
      progress((index + Math.min(part, 1)) / all, `${display_name}: ${count} rows`);
    const beganMs = monotonicMs();
    let count = 0;
    let nextCheck = rowsBetweenChecks;
    report(0, 0);
    try {
      for (const run of runs) {
        yield run;
        count += lengthOf(run);
        if (count < nextCheck) continue;
        nextCheck = count + rowsBetweenChecks;
        report(source.expected ? count / source.expected : 0, count);
        if (dataset.isForeign) this.#checkQuery(count, monotonicMs() - beganMs);
        if (monotonicMs() - this.#lastCheckMs >= msBetweenChecks) this.#checkResources();
      }
    } catch (error) {
      throw error instanceof InsufficientResources ? error : unreadable(dataset, error);
    }
  }

  /** Writes a file for each partition; one without rows if there are none. */
  async #partitions<Run>(all: Iterable<Run>, runs: Runs<Run>, parts: DatasetParts): Promise<WrittenFile[]> {
    const { file, byExperiment, byUnit } = parts;
    const indexOf = (name: string): number => file.columns.findIndex((column) => column.name === name);
    const experiment = byExperiment ? indexOf('experiment') : -1;
    const unit = byUnit ? indexOf('reactor_unit') : -1;
    const iterator = this.#withChecks(all, runs, parts);
    let step = iterator.next();
    const files: WrittenFile[] = [];
    do {
      const first = step.done ? undefined : runs.cellsOf(step.value);
      const partition = {
        experiment: byExperiment ? this.#experimentOf(first?.[experiment]) : allExperiments,
        reactor_unit: byUnit && first !== undefined ? String(first[unit]) : allUnits,
      };
      const [ofExperiment, ofUnit] = [first?.[experiment], first?.[unit]];
      function* runsOfPartition(): Generator<Run, void, undefined> {
        while (!step.done) {
          const cells = runs.cellsOf(step.value);
          if (cells[experiment] !== ofExperiment || cells[unit] !== ofUnit) return;
          yield step.value;
          step = iterator.next();
        }
      }
      files.push(await this.#file(parts.dataset, partition, (written) => runs.pieces(runsOfPartition(), written)));
    } while (!step.done);
    return files;
  }

  #experimentOf(cell: DataRow[number] | undefined): string {
    const [only, ...others] = this.#order.experiments ?? [];
    if (cell !== undefined && cell !== null) return String(cell);
    return only !== undefined && others.length === 0 ? only : allExperiments;
  }

  async #file(
    { descriptor }: Dataset,
    partition: Partition,
    pieces: (written: WrittenRows) => Iterable<Uint8Array>,
  ): Promise<WrittenFile> {
    const path = this.#names.of(descriptor.dataset_name, partition);
    const rows: WrittenRows = { rows: 0, first: null, last: null };
    const compressionLevel = this.#order.format === 'csv' ? csvLevel : storedLevel;
    const written = await this.#archive.file(path, pieces(rows), { compressionLevel });
    return { path, row_count: rows.rows, ...written, partition, data_start: rows.first, data_end: rows.last };
  }

  #manifest(datasets: readonly object[], skipped: readonly SkippedDataset[]) {
    const { experiments, byUnit, byExperiment, fromMs, toMs, selected, appVersion, format } = this.#order;
    const time = (ms: number | undefined) => (ms === undefined ? null : utcText().of(ms));
    const [only, ...others] = experiments ?? [];
    return {
      schema_version: 1,
      app_version: appVersion,
      provenance_path: 'provenance.json',
      export_created_at: time(this.#order.nowMs),
      timezone: this.#order.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      format,
      filters: {
        experiment: others.length === 0 ? (only ?? null) : null,
        ...(others.length === 0 ? {} : { experiments }),
        start_time: time(fromMs),
        end_time: time(toMs),
        partition_by_unit: byUnit,
        partition_by_experiment: byExperiment,
      },
      selected_datasets: selected,
      skipped,
      datasets,
    };
  }

  /** A person's query may be endless by mistake. */
  #checkQuery(rows: number, ms: number): void {
    const { maxQueryRows, maxQueryMs } = this.#order.limits;
    if (rows > maxQueryRows) throw new Error(`Its query returns more than ${maxQueryRows} rows.`);
    if (ms > maxQueryMs) throw new Error(`Its query takes longer than ${Math.round(maxQueryMs / minuteMs)} minutes.`);
  }

  #checkResources(): void {
    const { path, limits } = this.#order;
    const { resources, databasePath, monotonicMs } = this.#tools;
    checkResources({ limits, resources, folder: dirname(path), databasePath });
    this.#lastCheckMs = monotonicMs();
  }
}

const textOf = (cell: DataRow[number] | undefined): string | null =>
  cell === undefined || cell === null ? null : String(cell);

const distinct = (files: readonly WrittenFile[], key: keyof Partition, all: string): string[] =>
  [...new Set(files.map(({ partition }) => partition[key]))].filter((value) => value !== all);

const skippedOf = ({ dataset, file, cause }: RefusedDataset): SkippedDataset => ({
  dataset_name: dataset,
  reason: file === undefined ? cause : `${cause} The dataset is described in ${file}.`,
});

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

/** JSON for people who compare files: indented, keys in their order. */
const jsonText = (value: unknown): string => `${JSON.stringify(sorted(value), null, 2)}\n`;
