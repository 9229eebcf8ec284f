import { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { toSqlValues } from './bindings.ts';
import { StatementCache, type StatementResult } from './statement-cache.ts';

/** Reads wait only while another connection recreates the journal. */
const busyTimeoutMs = 100;

/**
 * The main thread's read-only connection. It never keeps a transaction open, so that every query sees everything committed before it.
 */
export class Reader {
  readonly #connection: DatabaseSync;
  readonly #statements: StatementCache;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#statements = new StatementCache(connection);
  }

  static open(path: string): Reader {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    connection.exec('pragma cache_size = -8000');
    return new Reader(connection);
  }

  run({ sql, parameters }: CompiledQuery): StatementResult {
    return this.#statements.run(sql, toSqlValues(parameters));
  }

  close(): void {
    this.#connection.close();
  }
}
