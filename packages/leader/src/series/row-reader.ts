import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** A query as the main thread has compiled it. */
export interface RowsQuery {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const keptStatements = 50;

export type Row = Record<string, unknown>;

/** Runs queries that would block the main thread, on a read-only connection that includes all data committed before. */
export class RowReader {
  readonly #connection: DatabaseSync;
  /** Least recently used first: preparing a page of the event log takes as long as running it. */
  readonly #statements = new Map<string, StatementSync>();

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  static open(path: string): RowReader {
    return new RowReader(new DatabaseSync(path, { readOnly: true, timeout: 5_000 }));
  }

  rows({ sql, values }: RowsQuery): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > keptStatements && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}
