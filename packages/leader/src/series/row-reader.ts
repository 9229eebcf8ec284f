import type { SQLInputValue } from 'node:sqlite';
import { openSqlReader, type SqlReader, type SqlStatement, type StorePlace } from '@lcs/platform/sql-reader';

/** A query as the main thread has compiled it. */
export interface RowsQuery {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const keptStatements = 50;

export type Row = Record<string, unknown>;

/** Runs queries that would block the main thread, on a read-only connection that includes all data committed before. */
export class RowReader {
  readonly #connection: SqlReader;
  /** Least recently used first: preparing a page of the event log takes as long as running it. */
  readonly #statements = new Map<string, SqlStatement>();

  private constructor(connection: SqlReader) {
    this.#connection = connection;
  }

  static open(place: StorePlace): RowReader {
    return new RowReader(openSqlReader(place, { timeoutMs: 5_000 }));
  }

  close(): void {
    this.#connection.close();
  }

  rows({ sql, values }: RowsQuery): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): SqlStatement {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > keptStatements && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}
