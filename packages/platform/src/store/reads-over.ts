import type { SQLInputValue } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { toSqlValues } from './bindings.ts';
import { kyselyOver } from './dialect.ts';
import type { StatementResult } from './statement-cache.ts';

/** Runs one reading query with its values for SQLite. */
export type RowsRunner = (sql: string, values: readonly SQLInputValue[]) => Promise<StatementResult['rows']>;

/** A Kysely for reading that passes every query to `run`, for example to a reading thread. */
export const readsOver = <Schema>(run: RowsRunner): Kysely<Schema> =>
  kyselyOver<Schema>(async ({ sql, parameters }) => ({
    rows: await run(sql, toSqlValues(parameters)),
    changes: 0,
    lastInsertRowid: 0,
  }));
