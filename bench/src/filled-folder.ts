import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderSchema, leaderMigrations } from '@lcs/leader';
import { jobMigrations, realClock, SqliteDatabase, silentLog, taskMigrations } from '@lcs/platform';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';
import { storeTenDays } from './ten-days.ts';

/** A data folder with an experiment that has ten days of readings up to now. */
export async function filledFolder(experiment: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  {
    await using leader = await startLeaderUnderLoad(folder);
    await createClient(leaderApi, { baseUrl: leader.url }).createExperiment({ body: { experiment } });
  }
  const database = new SqliteDatabase<LeaderSchema>({
    path: join(folder, 'storage', 'leader.sqlite'),
    migrations: [...taskMigrations, ...jobMigrations, ...leaderMigrations],
    clock: realClock(),
    log: silentLog(),
  });
  await database.start(new AbortController().signal);
  const { uid } = await database.read.selectFrom('experiments').select('uid').executeTakeFirstOrThrow();
  const endMs = Math.floor(Date.now() / 1_000) * 1_000;
  await storeTenDays(new SeriesIngest(database, new SeriesIds(database)), uid, endMs);
  await database.stop();
  return folder;
}
