import { createHash, type Hash, hash } from 'node:crypto';

/** Bytes that are hashed at once: a call of the hash costs as much as some thirty rows. Flat, because thousands of series wait at once. */
const pieceBytes = 1_024;
/** A time and a number as text are shorter. */
const lineBytes = 64;

/** SHA-256 over the values of one series, sorted by time, then by value: one line `time value` for each. */
export class SeriesChecksum {
  readonly #hash: Hash = createHash('sha256');
  readonly #piece = Buffer.allocUnsafeSlow(pieceBytes);
  #length = 0;
  rows = 0;

  add(at: number, value: number): void {
    this.#length += this.#piece.write(`${at} ${value}\n`, this.#length, 'latin1');
    this.rows += 1;
    if (this.#length + lineBytes <= pieceBytes) return;
    this.#hash.update(this.#piece.subarray(0, this.#length));
    this.#length = 0;
  }

  hex(): string {
    return this.#hash.update(this.#piece.subarray(0, this.#length)).digest('hex');
  }
}

/** SHA-256 over lines in the order of their text. */
export function linesChecksum(lines: readonly string[]): string {
  const all = createHash('sha256');
  for (const line of lines.toSorted()) all.update(`${line}\n`);
  return all.digest('hex');
}

/** 104 bits of a row's hash, as two integers that SQLite and JavaScript represent exactly. */
export interface RowIdentity {
  readonly high: number;
  readonly low: number;
}

const bits52 = (bytes: Buffer, offset: number): number =>
  bytes.readUInt32BE(offset) * 2 ** 20 + (bytes.readUInt32BE(offset + 4) >>> 12);

/** A set of rows in any order: the sum of their SHA-256 hashes modulo 2^256. */
export class RowsChecksum {
  readonly #sum = new Uint32Array(8);
  rows = 0;

  /** Adds a row, and returns what identifies it. */
  add(row: string): RowIdentity {
    const bytes = hash('sha256', row, 'buffer');
    let carry = 0;
    for (let word = 7; word >= 0; word -= 1) {
      const total = (this.#sum[word] ?? 0) + bytes.readUInt32BE(word * 4) + carry;
      this.#sum[word] = total % 2 ** 32;
      carry = total >= 2 ** 32 ? 1 : 0;
    }
    this.rows += 1;
    return { high: bits52(bytes, 0), low: bits52(bytes, 8) };
  }

  hex(): string {
    return [...this.#sum].map((word) => word.toString(16).padStart(8, '0')).join('');
  }
}
