import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { SeriesReader } from '../../packages/leader/src/series/series-reader.ts';
import { leaderMigrations } from '../../packages/leader/src/store/migrations.ts';
import type { LeaderTables } from '../../packages/leader/src/store/tables.ts';
import { type Figure, median } from './figures.ts';
import { readingsBetween, storeTenDays, tenDays } from './ten-days.ts';

const endMs = Date.UTC(2026, 4, 11);
const experimentUid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';

/** The same rows into the bare table, one prepared statement in one thread: what the engine does at most. */
function bareInsertRate(path: string): number {
  const connection = new DatabaseSync(path);
  connection.exec('pragma journal_mode = wal; pragma synchronous = normal');
  connection.exec(
    'create table samples (series_id integer, at integer, value real, primary key (series_id, at)) strict, without rowid',
  );
  const insert = connection.prepare('insert into samples values (?, ?, ?) on conflict do nothing');
  const readings = readingsBetween(endMs - 86_400_000, endMs);
  const startedMs = performance.now();
  connection.exec('begin');
  for (const { series, at, value } of readings) insert.run(series, at, value);
  connection.exec('commit');
  const seconds = (performance.now() - startedMs) / 1_000;
  connection.close();
  return readings.length / seconds;
}

function readMedian(reader: SeriesReader, lookbackHours: number): number {
  const times = Array.from({ length: 15 }, () => {
    const startedMs = performance.now();
    reader.answer({ experimentUid, source: 'od', lookbackHours, targetPoints: 720, nowMs: endMs });
    return performance.now() - startedMs;
  });
  return median(times);
}

function storedReadings(path: string): number {
  const connection = new DatabaseSync(path, { readOnly: true });
  const { n } = connection.prepare('select count(*) as n from samples').get() ?? {};
  connection.close();
  return Number(n);
}

/** Figures of the time-series store alone, without HTTP: ten days of 8 units × 2 channels × 5 s. */
export async function seriesBench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const path = join(folder, 'leader.sqlite');
  const database = new SqliteDatabase<LeaderTables>({
    path,
    migrations: leaderMigrations,
    clock: realClock(),
    log: silentLog(),
  });
  await database.start(new AbortController().signal);
  try {
    const ingest = new SeriesIngest(database, new SeriesIds(database));
    const seconds = await storeTenDays(ingest, experimentUid, endMs);
    const reader = SeriesReader.open({ path });
    const reads = [4, 100_000].map((hours) => readMedian(reader, hours));
    reader.close();
    await database.stop();
    const readings = storedReadings(path);
    const { size } = await stat(path);
    const bare = Math.round(bareInsertRate(join(folder, 'bare.sqlite'))).toLocaleString('en');
    return [
      {
        name: 'readings stored with roll-ups and marks, on disk',
        value: readings / seconds,
        unit: '/s',
        aim: { atLeast: 150_000 },
        limit: `${bare}/s: one prepared insert into the bare table, no roll-ups`,
      },
      {
        name: `bytes per reading, ${readings.toLocaleString('en')} readings with roll-ups`,
        value: size / readings,
        unit: 'B',
        aim: { atMost: 40 },
      },
      { name: 'od_readings, 4 h, p50 in the store', value: reads[0] ?? Number.NaN, unit: 'ms', aim: { atMost: 20 } },
      {
        name: `od_readings, ${tenDays.days} days, p50 in the store`,
        value: reads[1] ?? Number.NaN,
        unit: 'ms',
        aim: { atMost: 20 },
      },
    ];
  } finally {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
