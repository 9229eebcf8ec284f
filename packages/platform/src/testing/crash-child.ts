import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { realClock } from '../clock/real-clock.ts';
import type { CrashAt } from '../store/crash-point.ts';
import type { Migration } from '../store/migrations.ts';
import { SqliteDatabase } from '../store/sqlite-database.ts';
import { type ContractTables, contractMigrations } from './contract-schema.ts';
import { RecordingLog } from './test-database.ts';

/** The argument of a crash test's process, as JSON. */
export interface CrashPlan {
  readonly path: string;
  readonly crashAt?: CrashAt;
  /** The main thread's point at which the process ends, at the third hit. */
  readonly probeAt?: string;
  readonly extraMigrations?: readonly Migration[];
}

/**
 * The process that a crash test kills: writes pairs, alternately by commands and by samples, and prints the number of each when it is
 * answered.
 */
const main = async ({ path, crashAt, probeAt, extraMigrations = [] }: CrashPlan) => {
  // A killed process does not write its compile cache.
  flushCompileCache();
  let passages = 0;
  const database = new SqliteDatabase<ContractTables>({
    path,
    migrations: [...contractMigrations, ...extraMigrations],
    clock: realClock(),
    log: new RecordingLog(),
    probe: (point) => {
      if (point !== probeAt) return;
      passages += 1;
      if (passages === 3) process.kill(process.pid, 'SIGKILL');
    },
    ...(crashAt === undefined ? {} : { crashAt }),
  });
  await database.start(new AbortController().signal);
  for (let pair = 1; pair <= 6; pair += 1) {
    await database.write(async (transaction) => {
      await transaction
        .insertInto('notes')
        .values({ name: `left ${pair}` })
        .execute();
      await transaction
        .insertInto('notes')
        .values({ name: `right ${pair}` })
        .execute();
    });
    writeSync(1, `command ${pair}\n`);
    const rows = [
      [1, pair, 0],
      [2, pair, 0],
    ];
    await database.bulk([{ sql: 'insert into samples (series, at, value) values (?, ?, ?)', rows }]);
    writeSync(1, `samples ${pair}\n`);
  }
  await database.stop();
};

await main(JSON.parse(process.argv[2] ?? ''));
