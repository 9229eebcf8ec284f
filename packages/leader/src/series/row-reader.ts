import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** A query as the main thread has compiled it. */
export interface RowsQuery {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

export type Row = Record<string, unknown>;

/** Runs queries that would hold up the main thread, on a read-only connection that sees all that was committed before. */
export class RowReader {
  readonly #connection: DatabaseSync;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  static open(path: string): RowReader {
    return new RowReader(new DatabaseSync(path, { readOnly: true, timeout: 5_000 }));
  }

  rows({ sql, values }: RowsQuery): readonly Row[] {
    return this.#connection.prepare(sql).all(...values);
  }
}
