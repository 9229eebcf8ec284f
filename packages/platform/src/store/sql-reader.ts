import type { SQLInputValue } from 'node:sqlite';

/** Where a store is, for threads that read it: a file of SQLite, or a schema of PostgreSQL. */
export type StorePlace = { readonly path: string } | { readonly url: string; readonly schema: string };

/** A prepared query. */
export interface SqlStatement {
  all(...values: SQLInputValue[]): Record<string, unknown>[];
  get(...values: SQLInputValue[]): Record<string, unknown> | undefined;
  /** A row at a time: results of any size. */
  iterate(...values: SQLInputValue[]): IterableIterator<Record<string, unknown>>;
  /** Rows are arrays from now on. */
  setReturnArrays(enabled: boolean): void;
  /** Whole numbers are `bigint` from now on. */
  setReadBigInts(enabled: boolean): void;
  /** The columns of the rows, in their order. */
  columns(): readonly { readonly name: string }[];
}

/**
 * Reads a store synchronously, in a thread that may wait; each query sees everything committed before it. `DatabaseSync` of SQLite is one.
 */
export interface SqlReader {
  prepare(sql: string): SqlStatement;
  /** After `begin`, all queries see the same state of the store. */
  exec(sql: string): void;
  close(): void;
}
