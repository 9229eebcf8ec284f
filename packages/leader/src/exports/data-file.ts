import type { DataRow, SourceColumn } from '../datasets/rows/row-source.ts';

/** A data file of an export while it is written. It returns bytes in pieces, as rows are added. */
export interface DataFileWriter {
  /** Adds a row; true when a piece is ready. */
  add(row: DataRow): boolean;
  /** The buffered piece. */
  take(): Uint8Array;
  /** The remaining bytes; nothing may be added afterwards. */
  finish(): Uint8Array;
}

/** A column of a file; columns named in `timestamps` are times. */
export interface FileColumns {
  readonly columns: readonly SourceColumn[];
  readonly timestamps: ReadonlySet<string>;
}
