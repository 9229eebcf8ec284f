import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, DataRow, SourceColumn } from '../datasets/rows/row-source.ts';
import type { DataFileWriter, FileColumns } from './data-file.ts';

/** Rows in memory: a file is written in groups of this size. */
const rowsPerGroup = 20_000;

const typeOf = ({ kind }: SourceColumn, isMoment: boolean): BasicType => {
  if (isMoment) return 'TIMESTAMP';
  if (kind === 'integer') return 'INT64';
  return kind === 'real' ? 'DOUBLE' : 'STRING';
};

/** A cell in the type of its column; null where it cannot be converted. */
function parquetValue(cell: Cell, type: BasicType): unknown {
  if (cell === null) return null;
  if (type === 'STRING') return cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : String(cell);
  if (type === 'TIMESTAMP') {
    const ms = Date.parse(String(cell));
    return Number.isNaN(ms) ? null : new Date(ms);
  }
  if (type === 'INT64' && typeof cell === 'bigint') return cell;
  const number = Number(cell);
  if (!Number.isFinite(number)) return null;
  return type === 'INT64' ? BigInt(Math.trunc(number)) : number;
}

/** A Parquet file: times as UTC milliseconds, reals as doubles without rounding, Snappy compression. */
export class ParquetFile implements DataFileWriter {
  readonly #names: readonly string[];
  readonly #types: readonly BasicType[];
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  #group: unknown[][];

  constructor({ columns, timestamps }: FileColumns) {
    this.#names = columns.map(({ name }) => name);
    this.#types = columns.map((column) => typeOf(column, timestamps.has(column.name)));
    this.#group = this.#names.map(() => []);
    const schema = schemaFromColumnData({ columnData: this.#columnData() });
    this.#parquet = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'lcs' });
  }

  add(row: DataRow): boolean {
    for (const [index, type] of this.#types.entries()) this.#group[index]?.push(parquetValue(row[index] ?? null, type));
    if ((this.#group[0]?.length ?? 0) < rowsPerGroup) return false;
    this.#writeGroup();
    return true;
  }

  take(): Uint8Array {
    const piece = new Uint8Array(this.#bytes.buffer.slice(0, this.#bytes.index));
    // The writer keeps its position in the file; only its buffer is reset.
    this.#bytes.index = 0;
    return piece;
  }

  finish(): Uint8Array {
    if ((this.#group[0]?.length ?? 0) > 0) this.#writeGroup();
    // It writes into memory and completes at once.
    void this.#parquet.finish();
    return this.take();
  }

  #columnData() {
    return this.#names.map((name, index) => ({
      name,
      type: this.#types[index] ?? ('STRING' as const),
      data: this.#group[index] ?? [],
      nullable: true,
    }));
  }

  #writeGroup(): void {
    void this.#parquet.write({ columnData: this.#columnData(), rowGroupSize: rowsPerGroup });
    this.#group = this.#names.map(() => []);
  }
}
