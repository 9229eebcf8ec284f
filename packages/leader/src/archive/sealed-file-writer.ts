import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { SealedRow } from '../sealed/sealed-file.ts';
import { compressors, sealedColumns } from '../sealed/sealed-format.ts';
import type { SealedSeriesSummary, SealOrder } from './archive-protocol.ts';

/** The cells that all rows of a series share. */
export interface SealedSeriesCells {
  readonly id: number;
  readonly experiment: string;
  readonly unit: string;
  readonly source: string;
  readonly channel: string | null;
  readonly angle: number | null;
  readonly derivation: string | null;
}

/** The hash of rows, the same for those of the store and those that were read back from the file. */
export class RowsHash {
  readonly #hash: Hash = createHash('sha256');
  readonly #row = Buffer.alloc(48);

  add(seriesId: number, { at, value, era, flags, movedFrom }: SealedRow): void {
    for (const [place, number] of [seriesId, at, value, era ?? -1, flags, movedFrom ?? -1].entries())
      this.#row.writeDoubleLE(number, 8 * place);
    this.#hash.update(this.#row);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

const wholeOrNull = (value: number | null): bigint | null => (value === null ? null : BigInt(value));
const momentOrNull = (value: number | null): Date | null => (value === null ? null : new Date(value));

/** Writes a sealed file on this machine, a row group at a time. */
export class SealedFileWriter {
  readonly summaries: SealedSeriesSummary[] = [];
  readonly rowsHash = new RowsHash();
  readonly #file: number;
  readonly #hash = createHash('sha256');
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #rowsPerGroup: number;
  #length = 0;
  #rows = 0;

  constructor(path: string, about: Pick<SealOrder, 'experimentUid' | 'month' | 'version' | 'rowsPerGroup'>) {
    this.#file = openSync(path, 'w', 0o600);
    this.#rowsPerGroup = about.rowsPerGroup;
    const schema = schemaFromColumnData({ columnData: sealedColumns.map((column) => ({ ...column, data: [] })) });
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema,
      codec: 'ZSTD',
      compressors,
      createdBy: `lcs ${about.version}`,
      kvMetadata: [
        { key: 'lcs.experiment_uid', value: about.experimentUid },
        { key: 'lcs.month', value: about.month },
      ],
    });
  }

  /** All rows of a series, in the order of their times. */
  addSeries(series: SealedSeriesCells, rows: Iterable<SealedRow>): void {
    let group: SealedRow[] = [];
    let [count, firstAt, lastAt] = [0, 0, 0];
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of rows) {
      if (count === 0) firstAt = row.at;
      count += 1;
      lastAt = row.at;
      min = Math.min(min, row.value);
      max = Math.max(max, row.value);
      this.rowsHash.add(series.id, row);
      if (group.push(row) < this.#rowsPerGroup) continue;
      this.#writeGroup(series, group);
      group = [];
    }
    if (group.length > 0) this.#writeGroup(series, group);
    if (count > 0) this.summaries.push({ seriesId: series.id, rows: count, firstAt, lastAt, min, max });
  }

  finish(): { readonly bytes: number; readonly sha256: string; readonly rows: number } {
    // It writes into memory and completes at once.
    void this.#parquet.finish();
    this.#take();
    fsyncSync(this.#file);
    this.close();
    return { bytes: this.#length, sha256: this.#hash.digest('hex'), rows: this.#rows };
  }

  close(): void {
    closeSync(this.#file);
  }

  #writeGroup(series: SealedSeriesCells, rows: readonly SealedRow[]): void {
    const same = <Value>(value: Value): Value[] => new Array<Value>(rows.length).fill(value);
    const data: Readonly<Record<string, unknown[]>> = {
      experiment: same(series.experiment),
      reactor_unit: same(series.unit),
      source: same(series.source),
      channel: same(series.channel),
      angle: same(series.angle),
      derivation: same(series.derivation),
      timestamp: rows.map(({ at }) => new Date(at)),
      value: rows.map(({ value }) => value),
      flags: rows.map(({ flags }) => flags),
      moved_from: rows.map(({ movedFrom }) => momentOrNull(movedFrom)),
      series: same(BigInt(series.id)),
      era: rows.map(({ era }) => wholeOrNull(era)),
    };
    const columnData = sealedColumns.map(({ name }) => ({
      name,
      data: data[name] ?? [],
      ...(name === 'timestamp' && { encoding: 'DELTA_BINARY_PACKED' as const }),
    }));
    void this.#parquet.write({ columnData, rowGroupSize: this.#rowsPerGroup });
    this.#rows += rows.length;
    this.#take();
  }

  /** The writer keeps its position in the file; only its buffer is reset. */
  #take(): void {
    const piece = this.#bytes.getBytes();
    for (let written = 0; written < piece.length; ) written += writeSync(this.#file, piece, written);
    this.#hash.update(piece);
    this.#length += piece.length;
    this.#bytes.index = 0;
  }
}
