import { type AsyncBuffer, type DecodedArray, type FileMetaData, parquetMetadataAsync, parquetScan } from 'hyparquet';
import { decompressors } from './sealed-format.ts';
import type { ArchiveStorage } from './storage.ts';

/** A reading with everything that the store has of it. */
export interface SealedRow {
  readonly at: number;
  readonly value: number;
  readonly era: number | null;
  readonly flags: number;
  readonly movedFrom: number | null;
}

/** The rows of one series that are read together. */
export interface SealedGroup {
  readonly seriesId: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly rows: number;
  /** Position of its first row in the file. */
  readonly rowStart: number;
}

const parsers = { timestampFromMilliseconds: (at: bigint): number => Number(at) };

const numberIn = (value: unknown): number => {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw new TypeError('A sealed file has a cell that is not a number.');
};

const numberOrNull = (value: unknown): number | null =>
  value === null || value === undefined ? null : numberIn(value);

/** A sealed file that is being read: its row groups by the statistics of their columns, and their rows. */
export class SealedFile {
  readonly groups: readonly SealedGroup[];
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.#file = file;
    this.#metadata = metadata;
    let rowStart = 0;
    this.groups = metadata.row_groups.map(({ columns, num_rows }) => {
      const statisticsOf = (name: string) =>
        columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)?.meta_data?.statistics;
      const [series, timestamp] = [statisticsOf('series'), statisticsOf('timestamp')];
      const rows = Number(num_rows);
      const group = {
        seriesId: numberIn(series?.min_value),
        firstAt: numberIn(timestamp?.min_value),
        lastAt: numberIn(timestamp?.max_value),
        rows,
        rowStart,
      };
      rowStart += rows;
      return group;
    });
  }

  static async open(storage: ArchiveStorage, file: string, bytes: number): Promise<SealedFile> {
    const buffer = { byteLength: bytes, slice: (from: number, to = bytes) => storage.read(file, from, to) };
    return new SealedFile(buffer, await parquetMetadataAsync(buffer, { parsers }));
  }

  /** Times and values of a group. */
  async points(group: SealedGroup): Promise<{ readonly at: Float64Array; readonly value: Float64Array }> {
    const read = await this.#columns(group, ['timestamp', 'value']);
    const [at, value] = [await read('timestamp'), await read('value')];
    return { at: Float64Array.from(at, numberIn), value: Float64Array.from(value, numberIn) };
  }

  /** Everything that the store had of the rows of a group. */
  async rows(group: SealedGroup): Promise<readonly SealedRow[]> {
    const read = await this.#columns(group, ['timestamp', 'value', 'flags', 'moved_from', 'era']);
    const at = await read('timestamp');
    const value = await read('value');
    const flags = await read('flags');
    const movedFrom = await read('moved_from');
    const era = await read('era');
    return Array.from({ length: group.rows }, (_, row) => ({
      at: numberIn(at[row]),
      value: numberIn(value[row]),
      flags: numberIn(flags[row]),
      movedFrom: numberOrNull(movedFrom[row]),
      era: numberOrNull(era[row]),
    }));
  }

  async #columns(
    { rowStart, rows }: SealedGroup,
    columns: string[],
  ): Promise<(column: string) => Promise<DecodedArray>> {
    const scan = await parquetScan({
      file: this.#file,
      metadata: this.#metadata,
      columns,
      compressors: decompressors,
      parsers,
      useOffsetIndex: false,
      rowStart,
      rowEnd: rowStart + rows,
    });
    return (column) => scan.readColumn({ column, rowStart, rowEnd: rowStart + rows });
  }
}
