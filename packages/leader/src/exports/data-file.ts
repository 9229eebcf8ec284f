import type { DataRow, SourceColumn } from '../datasets/rows/row-source.ts';

/** A data file of an export while it is being written. Bytes come out in pieces of some size, as rows go in. */
export interface DataFileWriter {
  /** Takes a row; true when there is a piece worth taking. */
  add(row: DataRow): boolean;
  /** What has gathered. */
  take(): Uint8Array;
  /** The rest; nothing may be added afterwards. */
  finish(): Uint8Array;
}

/** A column as a file has it; columns named in `timestamps` are moments. */
export interface FileColumns {
  readonly columns: readonly SourceColumn[];
  readonly timestamps: ReadonlySet<string>;
}
