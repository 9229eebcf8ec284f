import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../clock/real-clock.ts';
import type { Log, LogFields } from '../log/log.ts';
import type { Migration } from '../store/migrations.ts';
import { SqliteDatabase, type SqliteDatabaseOptions } from '../store/sqlite-database.ts';
import { storeThread } from './test-writer.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that tests can read. */
export class RecordingLog implements Log {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(lines: LogLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#add('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#add('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#add('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#add('error', message, fields);
  }

  child(fields: LogFields): Log {
    return new RecordingLog(this.lines, { ...this.#fields, ...fields });
  }

  #add(level: LogLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}

/** A folder that is deleted after the test: `await using folder = await temporaryFolder()`. */
export const temporaryFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'lcs-store-'));
  return {
    path,
    file: (name: string) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
};

export type TestDatabaseOptions = Partial<SqliteDatabaseOptions> & {
  readonly path: string;
  readonly migrations: readonly Migration[];
};

/**
 * A started database that stops with the test: `await using database = await startedDatabase<Tables>({ … })`. It is written in the shared
 * thread, unless the writer shall crash.
 */
export const startedDatabase = async <Schema>(options: TestDatabaseOptions) => {
  const writer = options.crashAt === undefined ? { writer: await storeThread() } : {};
  const database = new SqliteDatabase<Schema>({ clock: realClock(), log: new RecordingLog(), ...writer, ...options });
  await database.start(new AbortController().signal);
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.stop() });
};
