import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { SeriesIds } from '../series/series-ids.ts';
import { type BatchSeries, SeriesIngest } from '../series/series-ingest.ts';
import { SeriesReader } from '../series/series-reader.ts';
import { leaderMigrations } from '../store/migrations.ts';
import type { LeaderTables } from '../store/tables.ts';

/** A store of time series that is gone after the test: `await using store = await testSeriesStore()`. */
export async function testSeriesStore() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-series-'));
  const path = join(folder, 'leader.sqlite');
  const database = new SqliteDatabase<LeaderTables>({
    path,
    migrations: leaderMigrations,
    clock: realClock(),
    log: silentLog(),
    writer: testWriter(),
  });
  await database.start(new AbortController().signal);
  const reader = SeriesReader.open({ path });
  const ids = new SeriesIds(database);
  return {
    path,
    database,
    ids,
    ingest: new SeriesIngest(database, ids),
    reader,
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestSeriesStore = Awaited<ReturnType<typeof testSeriesStore>>;

export const seriesKey = (key: Partial<BatchSeries> = {}): BatchSeries => ({
  experimentUid: 'e1',
  unit: 'rx01',
  source: 'od',
  channel: '1',
  angle: 90,
  derivation: null,
  ...key,
});

/** Everything that is stored of a series, and its roll-ups. */
export async function storedOf({ database: { read } }: TestSeriesStore, id: number) {
  const rollup = (table: 'rollup_1m' | 'rollup_10m' | 'rollup_1h') =>
    read.selectFrom(table).selectAll().where('series_id', '=', id).orderBy('bucket').execute();
  return {
    samples: await read
      .selectFrom('samples')
      .select(['at', 'value'])
      .where('series_id', '=', id)
      .orderBy('at')
      .execute(),
    flags: await read
      .selectFrom('sample_flags')
      .select(['at', 'flags', 'moved_from'])
      .where('series_id', '=', id)
      .orderBy('at')
      .execute(),
    minutes: await rollup('rollup_1m'),
    tenMinutes: await rollup('rollup_10m'),
    hours: await rollup('rollup_1h'),
  };
}
