import type { SQLInputValue } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { toSqlValues } from './bindings.ts';
import { kyselyOver } from './dialect.ts';
import type { StatementResult } from './statement-cache.ts';

/** Runs one reading query somewhere; the values are as SQLite shall see them. */
export type RowsRunner = (sql: string, values: readonly SQLInputValue[]) => Promise<StatementResult['rows']>;

/** A Kysely for reading whose every query goes to `run`, such as a thread that reads. */
export const readsOver = <Schema>(run: RowsRunner): Kysely<Schema> =>
  kyselyOver<Schema>(async ({ sql, parameters }) => ({
    rows: await run(sql, toSqlValues(parameters)),
    changes: 0,
    lastInsertRowid: 0,
  }));
