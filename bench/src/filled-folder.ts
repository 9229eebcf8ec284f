import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LeaderSchema, leaderMigrations } from '@lcs/leader';
import { jobMigrations } from '@lcs/node';
import { realClock, SqliteDatabase, silentLog, taskMigrations } from '@lcs/platform';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';
import { createMembers } from './members.ts';
import { storeTenDays } from './ten-days.ts';

type Fill = (database: SqliteDatabase<LeaderSchema>, endMs: number) => Promise<void>;

/** A data folder with an experiment of one unit, and what `fill` stores in its database. */
async function folderFilledBy(experiment: string, fill: Fill): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  {
    await using leader = await startLeaderUnderLoad(folder);
    await createMembers(leader.url, experiment, ['unit1']);
  }
  const database = new SqliteDatabase<LeaderSchema>({
    path: join(folder, 'storage', 'leader.sqlite'),
    migrations: [...taskMigrations, ...jobMigrations, ...leaderMigrations],
    clock: realClock(),
    log: silentLog(),
  });
  await database.start(new AbortController().signal);
  await fill(database, Math.floor(Date.now() / 1_000) * 1_000);
  await database.stop();
  return folder;
}

/** A data folder with an experiment that has ten days of readings up to now. */
export const filledFolder = (experiment: string): Promise<string> =>
  folderFilledBy(experiment, async (database, endMs) => {
    const { uid } = await database.read.selectFrom('experiments').select('uid').executeTakeFirstOrThrow();
    await storeTenDays(new SeriesIngest(database, new SeriesIds(database)), uid, endMs);
  });

const messages = ['ready', 'target_rpm set to 500', 'stopped', 'dose of 0.5 mL of media finished'] as const;

/** A data folder with an experiment that has so many entries in the event log, one each minute up to now. */
export const filledLogs = (experiment: string, entries: number): Promise<string> =>
  folderFilledBy(experiment, async (database, endMs) => {
    const { id } = await database.read.selectFrom('experiments').select('id').executeTakeFirstOrThrow();
    const rows = Array.from({ length: entries }, (_, index) => [
      ...[id, experiment, 'unit1', endMs - (entries - index) * 60_000],
      ...[
        index % 20 === 0 ? 'WARNING' : 'INFO',
        `${messages[index % messages.length]} (${index})`,
        'bench',
        'stirring',
      ],
    ]);
    const sql = `insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
      values (?, ?, ?, ?, ?, ?, ?, ?)`;
    await database.bulk([{ sql, rows }]);
    await database.write((transaction) => transaction.updateTable('experiments').set({ created_at: 0 }).execute());
  });
