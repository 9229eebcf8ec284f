import { createHash } from 'node:crypto';
import type { SQLInputValue } from 'node:sqlite';
import { auditMigrations, leaderMigrations, postgresViews } from '@lcs/leader';
import { jobMigrations } from '@lcs/node';
import { PostgresDatabase, realClock, silentLog, taskMigrations } from '@lcs/platform';
import { openSqlReader, type SqlReader, type SqlStatement } from '@lcs/platform/sql-reader';
import { PostgresAdmin, PostgresSqlReader, testPostgres } from '@lcs/platform/testing';

const schema = 'lcs';
const template = 'lcs_template';

/** A store that a test changes beside the leader. */
export interface EditableStore {
  prepare(sql: string): Omit<SqlStatement, 'setReturnArrays'> & { run(...values: SQLInputValue[]): unknown };
  exec(sql: string): void;
}

/** A database with the tables of a leader, from which those of the tests are copied: faster than migrations. */
async function makeTemplate(admin: PostgresAdmin, url: string): Promise<void> {
  await admin.run(`create database ${template}`);
  const stores = [
    { schema, migrations: [...taskMigrations, ...jobMigrations, ...leaderMigrations], views: postgresViews },
    { schema: 'lcs_audit', migrations: auditMigrations },
  ];
  for (const store of stores) {
    const database = new PostgresDatabase<object>({ url, ...store, clock: realClock(), log: silentLog(), readers: 1 });
    await database.start(new AbortController().signal);
    await database.stop();
  }
}

let ready: Promise<void> | undefined;

/** The database of the leader with this data folder; a leader that starts again in the folder finds what it stored. */
export async function postgresOf(dataFolder: string) {
  const server = await testPostgres();
  await using admin = await PostgresAdmin.open(server.url('postgres'));
  ready ??= makeTemplate(admin, server.url(template));
  await ready;
  const name = `leader_${createHash('sha256').update(dataFolder).digest('hex').slice(0, 20)}`;
  const url = server.url(name);
  if (!(await admin.hasDatabase(name))) await admin.run(`create database ${name} template ${template}`);
  // One for all: each is a thread with a connection, and while it begins, the leader waits with the test.
  let reader: SqlReader | undefined;
  return {
    url,
    rows: (table: string): readonly Readonly<Record<string, unknown>>[] => {
      reader ??= openSqlReader({ url, schema }, { timeoutMs: 5_000 });
      return reader.prepare(`select * from "${table}" order by 1`).all();
    },
    close: () => {
      reader?.close();
      reader = undefined;
    },
    /** Changes the store beside the leader, in one transaction. */
    edit: <Result>(work: (database: EditableStore) => Result): Result => {
      const writer = new PostgresSqlReader({ url, schema, readOnly: false });
      try {
        writer.exec(`start transaction; set local lock_timeout = 5000; set session_replication_role = replica`);
        const result = work({
          prepare: (text) => Object.assign(writer.prepare(text), { run: writer.prepare(text).all }),
          exec: (text) => writer.exec(text),
        });
        writer.exec('commit');
        return result;
      } finally {
        writer.close();
      }
    },
    breakStore: async (): Promise<void> => {
      await using own = await PostgresAdmin.open(url);
      await own.run(`drop schema ${schema} cascade`);
    },
  };
}
