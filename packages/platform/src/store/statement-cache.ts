import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** The result of one execution. */
export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[];
  /** Rows inserted, updated or deleted; 0 for a statement that returns rows. */
  readonly changes: number;
  readonly lastInsertRowid: number;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** The prepared statements of one connection (a least-recently-used cache). */
export class StatementCache {
  readonly #connection: DatabaseSync;
  readonly #capacity: number;
  readonly #prepared = new Map<string, Prepared>();

  constructor(connection: DatabaseSync, capacity = 250) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#prepared.size;
  }

  /** Runs one statement and returns all its rows. */
  run(sql: string, values: readonly SQLInputValue[]): StatementResult {
    const { statement, returnsRows } = this.#prepare(sql);
    if (returnsRows) return { rows: statement.all(...values), changes: 0, lastInsertRowid: 0 };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  }

  /** The statement itself, for a loop that runs it many times. */
  statement(sql: string): StatementSync {
    return this.#prepare(sql).statement;
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#connection.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > this.#capacity) this.#forgetOldest();
    return prepared;
  }

  #forgetOldest(): void {
    for (const sql of this.#prepared.keys()) {
      this.#prepared.delete(sql);
      return;
    }
  }
}
