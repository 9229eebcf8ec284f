import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { DefaultQueryExecutor, type Kysely, SingleConnectionProvider, Transaction } from 'kysely';
import { toSqlValues } from './bindings.ts';
import type { BulkStatement, Database } from './database.ts';
import { connectionOver, dialectOver, kyselyOver, type QueryRunner } from './dialect.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations.ts';
import { StatementCache, type StatementResult } from './statement-cache.ts';
import { toStoreError } from './store-error.ts';

/**
 * A database that is forgotten with its process, on the thread of its callers: for computations that use the parts of a node and
 * keep nothing. Calls take effect at once, commands one after the other.
 */
export class MemoryDatabase<Schema> implements Database<Schema>, Disposable {
  readonly read: Kysely<Schema>;
  readonly #connection: DatabaseSync;
  readonly #statements: StatementCache;
  readonly #run: QueryRunner;
  #last: Promise<unknown> = Promise.resolve();
  #version = 0;

  /** @throws StoreError migration_failed */
  constructor(migrations: readonly Migration[], nowMs: number) {
    this.#connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
    migrate(this.#connection, { path: ':memory:', migrations, nowMs, onPoint: () => {} });
    this.#statements = new StatementCache(this.#connection);
    this.#run = async ({ sql, parameters }) => this.#execute(sql, toSqlValues(parameters));
    this.read = kyselyOver<Schema>(this.#run);
  }

  get version(): number {
    return this.#version;
  }

  write<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#transact(() => work(this.#transaction())));
    // For the order only; the caller receives the outcome.
    this.#last = result.catch(() => {});
    return result;
  }

  bulk(statements: readonly BulkStatement[]): Promise<void> {
    const done = this.#last.then(() => this.#transact(async () => this.#runAll(statements)));
    this.#last = done.catch(() => {});
    return done;
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  async #transact<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#connection.exec('begin');
    try {
      const result = await work();
      this.#connection.exec('commit');
      this.#version += 1;
      return result;
    } catch (error) {
      this.#connection.exec('rollback');
      throw error;
    }
  }

  #runAll(statements: readonly BulkStatement[]): void {
    for (const { sql, rows, otherwise = [] } of statements) {
      for (const row of rows) {
        const values = toSqlValues(row);
        if (this.#execute(sql, values).changes > 0) continue;
        for (const other of otherwise) this.#execute(other, values);
      }
    }
  }

  /** @throws StoreError */
  #execute(sql: string, values: readonly SQLInputValue[]): StatementResult {
    try {
      return this.#statements.run(sql, values);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  #transaction(): Transaction<Schema> {
    const dialect = dialectOver(this.#run);
    const executor = new DefaultQueryExecutor(
      dialect.createQueryCompiler(),
      dialect.createAdapter(),
      new SingleConnectionProvider(connectionOver(this.#run)),
    );
    return new Transaction<Schema>({ config: { dialect }, dialect, driver: dialect.createDriver(), executor });
  }
}
