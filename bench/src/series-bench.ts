import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { type BatchSeries, type Reading, SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { SeriesReader } from '../../packages/leader/src/series/series-reader.ts';
import { leaderMigrations } from '../../packages/leader/src/store/migrations.ts';
import type { LeaderTables } from '../../packages/leader/src/store/tables.ts';
import { type Figure, median } from './figures.ts';

const units = 8;
const channels = 2;
const intervalMs = 5_000;
const days = 10;
/** As many as one answer of a unit's feed may hold. */
const readingsPerBatch = 5_000;
const beginMs = Date.UTC(2026, 4, 1);
const endMs = beginMs + days * 86_400_000;
const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
const experimentUid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';

const unitNames = Array.from({ length: units }, (_, index) => `unit${index + 1}`);

const seriesOf = (unit: string): BatchSeries[] =>
  Array.from({ length: channels }, (_, index) => ({
    experimentUid,
    unit,
    source: 'od',
    channel: String(index + 1),
    angle: 90,
    derivation: null,
  }));

/** A slow wave with a ripple that never repeats; no two neighbours are equal. */
const valueAt = (at: number, line: number) =>
  0.5 + 0.4 * Math.sin(at / 7.2e6 + line) + 0.003 * Math.sin((at / 5_000) * 12.9898 + line);

function batchOf(from: number, to: number): Reading[] {
  const readings: Reading[] = [];
  for (let at = from; at < to; at += intervalMs) {
    for (let series = 0; series < channels; series += 1) {
      readings.push({ series, at: at + series, value: valueAt(at, series) });
    }
  }
  return readings;
}

/** Ten days as the follower brings them: each unit a batch at a time, with its mark. Seconds taken. */
async function ingest(database: SqliteDatabase<LeaderTables>): Promise<number> {
  const series = new SeriesIngest(database, new SeriesIds(database));
  const batchMs = (readingsPerBatch / channels) * intervalMs;
  const startedMs = performance.now();
  for (let from = beginMs; from < endMs; from += batchMs) {
    const readings = batchOf(from, Math.min(endMs, from + batchMs));
    const written = unitNames.map((unit) =>
      series.write({
        series: seriesOf(unit),
        readings,
        mark: { unit, epoch, seq: (from - beginMs) / intervalMs + 1 },
        nowMs: from,
      }),
    );
    await Promise.all(written);
  }
  return (performance.now() - startedMs) / 1_000;
}

/** The same rows into the bare table, one prepared statement in one thread: what the engine does at most. */
function bareInsertRate(path: string): number {
  const connection = new DatabaseSync(path);
  connection.exec('pragma journal_mode = wal; pragma synchronous = normal');
  connection.exec(
    'create table samples (series_id integer, at integer, value real, primary key (series_id, at)) strict, without rowid',
  );
  const insert = connection.prepare('insert into samples values (?, ?, ?) on conflict do nothing');
  const readings = batchOf(beginMs, beginMs + 86_400_000);
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
    const seconds = await ingest(database);
    const reader = SeriesReader.open(path);
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
        name: `od_readings, ${days} days, p50 in the store`,
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
