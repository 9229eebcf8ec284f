import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { StatementResult } from './statement-cache.ts';
import { StoreError } from './store-error.ts';

/** Runs one compiled query. */
export type QueryRunner = (query: CompiledQuery) => Promise<StatementResult>;

const noTransactions = () =>
  Promise.reject(new StoreError('unsupported', 'Begin transactions with Database.write, not on `read`.'));

/** Kysely types a row by its query; rows of SQLite have no type, so only this function asserts it. */
const rowsOf = <Row>(result: StatementResult): Row[] => result.rows as Row[];

/** A Kysely connection over something that runs queries. */
export const connectionOver = (run: QueryRunner): DatabaseConnection => ({
  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await run(query);
    return {
      rows: rowsOf<Row>(result),
      numAffectedRows: BigInt(result.changes),
      insertId: BigInt(result.lastInsertRowid),
    };
  },
  streamQuery() {
    throw new StoreError('unsupported', 'Queries cannot be streamed: read page by page, or in a worker.');
  },
});

/** A Kysely dialect that passes every query to `run`; without transactions. */
export const dialectOver = (run: QueryRunner): Dialect => {
  const connection = connectionOver(run);
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    releaseConnection: () => Promise.resolve(),
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    destroy: () => Promise.resolve(),
  };
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ConcurrentAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
};

/** Kysely need not serialise queries: reads end at once, writes queue in the store. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** A Kysely that passes every query to `run`; it cannot begin transactions. */
export const kyselyOver = <Schema>(run: QueryRunner): Kysely<Schema> =>
  new Kysely<Schema>({ dialect: dialectOver(run) });
