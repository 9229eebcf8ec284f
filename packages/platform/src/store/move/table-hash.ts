import { createHash } from 'node:crypto';
import type { ColumnType, MovedRow, MovedTable, MovedValue } from './moved-table.ts';

/** Before each value. */
const tags: Readonly<Record<ColumnType | 'null', number>> = { null: 0, integer: 1, real: 2, text: 3, blob: 4 };

const firstBytes = 64 * 1_024;

/**
 * SHA-256 of rows in the order of their primary key. The bytes are the same whatever the engine: for each value its type (0 null, 1 integer,
 * 2 real, 3 text, 4 blob), then a number as 8 bytes (big-endian, two's complement or IEEE 754), a text (UTF-8) or a blob behind its length as
 * 4 bytes. SQLite stores -0.0 as 0.0: both are 0.0 here.
 */
export class TableHash {
  readonly #types: readonly ColumnType[];
  readonly #hash = createHash('sha256');
  #buffer = Buffer.allocUnsafe(firstBytes);
  #length = 0;
  #rows = 0;

  constructor({ columns }: MovedTable) {
    this.#types = columns.map(({ type }) => type);
  }

  get rows(): number {
    return this.#rows;
  }

  add(rows: readonly MovedRow[]): void {
    for (const row of rows) for (const [at, type] of this.#types.entries()) this.#value(type, row[at] ?? null);
    this.#rows += rows.length;
    this.#hash.update(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  #value(type: ColumnType, value: MovedValue): void {
    if (value === null) this.#tag('null', 0);
    else if (typeof value === 'number') this.#number(type, value);
    else this.#bytes(type, typeof value === 'string' ? Buffer.from(value, 'utf8') : value);
  }

  #number(type: ColumnType, value: number): void {
    this.#tag(type, 8);
    if (type === 'integer') this.#buffer.writeBigInt64BE(BigInt(value), this.#length);
    else this.#buffer.writeDoubleBE(value === 0 ? 0 : value, this.#length);
    this.#length += 8;
  }

  #bytes(type: ColumnType, bytes: Uint8Array): void {
    this.#tag(type, 4 + bytes.length);
    this.#length = this.#buffer.writeUInt32BE(bytes.length, this.#length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Makes room for the tag and `bytes` behind it. */
  #tag(type: ColumnType | 'null', bytes: number): void {
    if (this.#length + 1 + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#buffer.length + bytes));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer[this.#length] = tags[type];
    this.#length += 1;
  }
}

/** Whether two rows of a table have the same bytes. */
export function isSameRow(table: MovedTable, one: MovedRow, other: MovedRow): boolean {
  const [first, second] = [one, other].map((row) => {
    const hash = new TableHash(table);
    hash.add([row]);
    return hash.digest();
  });
  return first === second;
}
