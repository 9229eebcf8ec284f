import type { DataRow } from '../datasets/rows/row-source.ts';
import { type CellText, cellText, endOfRow, headerRow } from './csv-text.ts';
import type { DataFileWriter, FileColumns } from './data-file.ts';

/** Size of a piece, in characters. */
const pieceLength = 64 * 1_024;

/** Comma, CRLF, a header, quotes only where needed, UTF-8 without a byte order mark. */
export class CsvFile implements DataFileWriter {
  readonly #fields: readonly CellText[];
  #text: string;

  constructor({ columns }: FileColumns) {
    this.#fields = columns.map(({ kind }) => cellText(kind));
    this.#text = headerRow(columns.map(({ name }) => name));
  }

  add(row: DataRow): boolean {
    let text = '';
    for (let index = 0; index < this.#fields.length; index += 1) {
      if (index > 0) text += ',';
      text += this.#fields[index]?.(row[index] ?? null) ?? '';
    }
    this.#text += text + endOfRow;
    return this.#text.length >= pieceLength;
  }

  take(): Uint8Array {
    const bytes = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    return bytes;
  }

  finish(): Uint8Array {
    return this.take();
  }
}
