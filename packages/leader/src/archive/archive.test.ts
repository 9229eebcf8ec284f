import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresDatabase, type Probe, realClock, SqliteDatabase, type StoredDatabase, silentLog } from '@lcs/platform';
import { openSqlReader, type StorePlace } from '@lcs/platform/sql-reader';
import { isPostgresInstalled, testPostgres, testWriter } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import { SampleReader, type SampleWindow } from '../datasets/rows/series-cursors.ts';
import { ExperimentData } from '../series/experiment-data.ts';
import { SeriesIds } from '../series/series-ids.ts';
import { SeriesIngest } from '../series/series-ingest.ts';
import { SeriesReader } from '../series/series-reader.ts';
import { leaderMigrations } from '../store/migrations.ts';
import type { LeaderTables } from '../store/tables.ts';
import { type ArchivePlan, rowsPerGroup } from '../testing/archive-child.ts';
import { archiveHere } from '../testing/archive-here.ts';
import { seriesKey } from '../testing/test-series.ts';
import { Archive } from './archive.ts';
import { type ArchiveWork, inThread } from './archive-thread.ts';
import { monthNamed } from './month.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const signal = new AbortController().signal;
const month = monthNamed('2031-08') ?? expect.unreachable();
const next = monthNamed('2031-09') ?? expect.unreachable();
/** The first reading. */
const firstMs = month.fromMs + 20 * dayMs;
const uid = 'e1';
const otherUid = 'e2';
const child = fileURLToPath(new URL('../testing/archive-child.ts', import.meta.url));
const engines = ['sqlite', ...(isPostgresInstalled ? (['postgres'] as const) : [])] as const;

/** A store with readings of two experiments at the end of a month and in the next one. Threads are started where they are asked for. */
async function filled(engine: (typeof engines)[number], work: ArchiveWork = archiveHere) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-archive-'));
  const store: StorePlace =
    engine === 'sqlite'
      ? { path: join(folder, 'leader.sqlite') }
      : { url: (await testPostgres()).url('postgres'), schema: `archive_${randomUUID().replaceAll('-', '')}` };
  const tools = { migrations: leaderMigrations, clock: realClock(), log: silentLog() };
  const database: StoredDatabase<LeaderTables> =
    'url' in store
      ? new PostgresDatabase<LeaderTables>({ ...tools, ...store, readers: 1 })
      : new SqliteDatabase<LeaderTables>({ ...tools, ...store, writer: testWriter() });
  await database.start(signal);
  const ids = new SeriesIds(database);
  const ingest = new SeriesIngest(database, ids);
  const write = async (experimentUid: string, from: number, count: number, stepMs: number) => {
    const series = [
      seriesKey({ experimentUid }),
      seriesKey({ experimentUid, channel: '2', angle: null }),
      seriesKey({ experimentUid, source: 'liquid_volume', channel: null, angle: null }),
    ];
    const readings = Array.from({ length: count }, (_, index) => ({
      series: index % 100 === 0 ? 2 : index % 2,
      at: from + index * stepMs,
      value: Math.sin(index) / 3,
      ...(index % 1_000 === 1 && { flags: 4 }),
      ...(index % 3 === 0 && { era: 7 }),
    }));
    await ingest.write({ series, readings, nowMs: month.fromMs });
  };
  // Two row groups of a series, and its last reading in this month.
  await write(uid, firstMs, 2.2 * rowsPerGroup, 5_000);
  await write(otherUid, month.toMs - hourMs, 400, 10_000);
  const place = join(folder, 'sealed');
  const options = { database, store, version: 'test', leaderId: 'l1', workFolder: join(folder, 'work'), now: () => 0 };
  const archive = new Archive({ ...options, wire: realClock(), graceMs: 0, rowsPerGroup, work });
  const reader = SeriesReader.open(store);
  const answer = (experimentUid: string, lookbackHours: number, targetPoints: number, nowMs = month.toMs) => {
    const question = { experimentUid, source: 'od', lookbackHours, targetPoints, nowMs };
    return Buffer.from(reader.answer(question).bytes).toString();
  };
  const numbers = await ids.of([seriesKey(), seriesKey({ channel: '2', angle: null })], 0);
  return {
    folder,
    place,
    store,
    database,
    ids,
    ingest,
    archive,
    answer,
    /** What charts of all kinds show. */
    answers: (lookbacks = [1, 30, 24 * 31, 24 * 60], points = [1, 2, 720, 1_000_000], ends = [month.toMs, next.toMs]) =>
      [uid, otherUid].flatMap((experimentUid) =>
        lookbacks.flatMap((lookback) =>
          points.flatMap((targetPoints) =>
            [firstMs + 2 * hourMs, ...ends].map((nowMs) => answer(experimentUid, lookback, targetPoints, nowMs)),
          ),
        ),
      ),
    /** What exports read. */
    exported: (order: 'ascending' | 'descending', window: Pick<SampleWindow, 'fromMs' | 'toMs'> = {}) => {
      const connection = openSqlReader(store, { timeoutMs: 1_000 });
      const samples = new SampleReader(connection, { order, batch: 700, ...window });
      try {
        return numbers.map((id) => {
          const cursor = samples.open(id);
          const rows: [number, number][] = [];
          while (cursor.next()) rows.push([cursor.at, cursor.value]);
          return rows;
        });
      } finally {
        samples.close();
        connection.close();
      }
    },
    rows: async () => {
      const { read } = database;
      return {
        samples: await read.selectFrom('samples').selectAll().orderBy('series_id').orderBy('at').execute(),
        flags: await read.selectFrom('sample_flags').selectAll().orderBy('series_id').orderBy('at').execute(),
        minutes: await read.selectFrom('rollup_1m').selectAll().orderBy('series_id').orderBy('bucket').execute(),
        hours: await read.selectFrom('rollup_1h').selectAll().orderBy('series_id').orderBy('bucket').execute(),
      };
    },
    files: async () => (await readdir(place, { recursive: true }).catch(() => [])).filter((name) => /\w\./.test(name)),
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Filled = Awaited<ReturnType<typeof filled>>;

const archiveOf = ({ database, store, folder }: Filled, probe: Probe, leaderId = 'l1') =>
  new Archive({
    ...{ database, store, version: 'test', leaderId, workFolder: join(folder, 'work'), now: () => 0 },
    ...{ wire: realClock(), graceMs: 0, rowsPerGroup, work: archiveHere, probe },
  });

const seal = ({ archive, place }: Filled) => archive.seal(month, place, signal, () => {});

/** Charts of all readings, in parts and as a whole. */
const everyReading = ({ answers }: Filled) => answers([1, 24 * 31], [720, 1_000_000], [month.toMs]);

const killed = ({ store, place, folder }: Filled, plan: Pick<ArchivePlan, 'work' | 'point' | 'hit'>) =>
  new Promise<string | undefined>((resolve, reject) => {
    const whole: ArchivePlan = {
      ...{ store, place, month: month.name, workFolder: join(folder, 'work'), experimentUid: uid },
      ...plan,
    };
    execFile(process.execPath, [child, JSON.stringify(whole)], (error, _, stderr) => {
      if (error === null) resolve(undefined);
      else if (error.signal) resolve(error.signal);
      else reject(new Error(stderr, { cause: error }));
    });
  });

describe.each(engines)('a sealed month on %s', (engine) => {
  it('answers charts and exports as before, and comes back unchanged', async () => {
    await using store = await filled(engine, inThread);
    const [answers, rows] = [store.answers(), await store.rows()];
    const [up, down] = [store.exported('ascending'), store.exported('descending')];
    const window = { fromMs: firstMs + hourMs, toMs: firstMs + 1.3 * hourMs };
    const part = store.exported('ascending', window);
    expect(up.flat().length).toBeGreaterThan(2 * rowsPerGroup);
    const { files, rows: sealed } = await seal(store);
    expect({ files, sealed }).toEqual({ files: 2, sealed: rows.samples.filter(({ at }) => at < month.toMs).length });
    const left = await store.rows();
    expect(left.samples.length).toBeLessThan(rows.samples.length / 10);
    expect(await store.archive.verify(month, signal, () => {})).toEqual([]);
    expect(store.answers()).toEqual(answers);
    expect([store.exported('ascending'), store.exported('descending')]).toEqual([up, down]);
    expect(store.exported('ascending', window)).toEqual(part);
    expect({ ...left, samples: [] }).toEqual({ ...rows, samples: [] });
    await store.archive.unseal(month, signal, () => {});
    expect(await store.rows()).toEqual(rows);
    expect(await store.files()).toEqual([]);
    expect(store.answers()).toEqual(answers);
  });

  it('takes readings that come later, and has them in its roll-ups when it is unsealed', async () => {
    await using store = await filled(engine);
    await seal(store);
    const late = { series: 0, at: firstMs + hourMs + 1, value: 17 };
    await store.ingest.write({ series: [seriesKey()], readings: [late], nowMs: next.fromMs });
    expect(store.exported('ascending')[0]).toContainEqual([late.at, 17]);
    const hour = { series_id: 1, bucket: Math.floor(late.at / hourMs) * hourMs };
    const maximum = async () =>
      (await store.rows()).hours.find(({ bucket, series_id }) => bucket === hour.bucket && series_id === 1)?.max;
    expect(await maximum()).toBeLessThan(1);
    await store.archive.unseal(month, signal, () => {});
    expect(await maximum()).toBe(17);
    await seal(store);
    expect(store.exported('ascending')[0]).toContainEqual([late.at, 17]);
  });

  it('keeps later readings that are as many as the file has, when it is sealed together with a new experiment', async () => {
    await using store = await filled(engine);
    const { database, ingest } = store;
    const series = [seriesKey({ experimentUid: otherUid })];
    const late = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ series: 0, at: from + index, value: 17 }));
    const written: Promise<unknown>[] = [];
    let recorded = 0;
    const first = archiveOf(store, (point) => {
      if (point !== 'archive.recorded') return;
      recorded += 1;
      // After the last file the partition has another reading, too: rows are removed one group after the other.
      if (recorded === 2) written.push(ingest.write({ series, readings: late(month.fromMs, 1), nowMs: next.fromMs }));
    });
    const { rows } = await first.seal(month, store.place, signal, () => {});
    await Promise.all(written);
    const inMonth = (await store.rows()).samples.filter(({ at }) => at < month.toMs).length;
    const count = rows - inMonth;
    await ingest.write({ series, readings: late(month.fromMs + dayMs, count), nowMs: next.fromMs });
    const key = seriesKey({ experimentUid: 'e3' });
    await ingest.write({ series: [key], readings: late(month.fromMs, 10), nowMs: next.fromMs });
    await seal(store);
    const stored = await database.read.selectFrom('samples').select('at').where('value', '=', 17).execute();
    expect(stored.filter(({ at }) => at >= month.fromMs + dayMs)).toHaveLength(count);
  });

  it('is no file when its experiment has been deleted before it was recorded', async () => {
    await using store = await filled(engine);
    const { database } = store;
    const deletions: Promise<unknown>[] = [];
    const archive = archiveOf(store, (point) => {
      if (point !== 'archive.file_put' || deletions.length > 0) return;
      deletions.push(
        database.write((transaction) => transaction.deleteFrom('series').where('experiment_uid', '=', uid).execute()),
      );
    });
    await archive.seal(month, store.place, signal, () => {});
    await Promise.all(deletions);
    expect((await archive.files()).map(({ experiment_uid }) => experiment_uid)).toEqual([otherUid]);
    expect(await store.files()).toEqual([`${month.name}/${otherUid}.parquet`]);
  });

  it('is sealed and unsealed without a series that was deleted meanwhile', async () => {
    await using store = await filled(engine);
    const before = await store.rows();
    await seal(store);
    await new ExperimentData({
      ...{ database: store.database, ids: store.ids, settled: async () => {}, now: () => next.toMs },
      archive: store.archive,
    }).removeSeries(1, signal, () => {});
    await store.archive.unseal(month, signal, () => {});
    expect((await store.rows()).samples).toEqual(before.samples.filter(({ series_id }) => series_id !== 1));
  });

  it('is in an export that has begun before', async () => {
    await using store = await filled(engine);
    const expected = store.exported('ascending')[0];
    const connection = openSqlReader(store.store, { timeoutMs: 1_000 });
    const samples = new SampleReader(connection, { order: 'ascending', batch: 100 });
    const cursor = samples.open(1);
    const rows: [number, number][] = [];
    while (rows.length < 150 && cursor.next()) rows.push([cursor.at, cursor.value]);
    await seal(store);
    while (cursor.next()) rows.push([cursor.at, cursor.value]);
    samples.close();
    connection.close();
    expect(rows).toEqual(expected);
  });

  it('is removed with its experiment, files included', async () => {
    await using store = await filled(engine);
    await seal(store);
    const { database, ids, archive } = store;
    const data = new ExperimentData({ database, ids, settled: async () => {}, now: () => next.toMs, archive });
    const other = store.answer(otherUid, 100, 1_000);
    await data.remove(uid, signal, () => {});
    expect(await store.files()).toEqual([`${month.name}/${otherUid}.parquet`]);
    expect((await archive.files()).map(({ experiment_uid }) => experiment_uid)).toEqual([otherUid]);
    expect(store.answer(otherUid, 100, 1_000)).toBe(other);
    expect(JSON.parse(store.answer(uid, 24 * 40, 1_000))).toEqual({ series: [], data: [] });
  });

  it('is removed with its experiment while it is being unsealed', async () => {
    await using store = await filled(engine);
    await seal(store);
    const { database, ids, folder } = store;
    const deletions: Promise<void>[] = [];
    const archive = new Archive({
      ...{ database, store: store.store, version: 'test', leaderId: 'l1', workFolder: join(folder, 'work') },
      ...{ now: () => 0, wire: realClock(), graceMs: 0, rowsPerGroup, work: archiveHere },
      probe: (point) => {
        if (point !== 'archive.group_restored' || deletions.length > 0) return;
        const data = new ExperimentData({ database, ids, settled: async () => {}, now: () => next.toMs, archive });
        deletions.push(data.remove(uid, signal, () => {}));
      },
    });
    await archive.unseal(month, signal, () => {});
    await Promise.all(deletions);
    expect(deletions).toHaveLength(1);
    expect((await store.rows()).samples.filter(({ series_id }) => series_id <= 3)).toEqual([]);
    expect(await store.files()).toEqual([]);
    expect(await archive.files()).toEqual([]);
  });

  it.each([
    ...(engine === 'postgres'
      ? ['archive.recorded', 'archive.partition_dropped'].map((point) => ({ point, hit: 1 }))
      : [
          ...['archive.file_put', 'archive.recorded', 'archive.rows_removed'].map((point) => ({ point, hit: 1 })),
          ...[1, 2, 5].map((hit) => ({ point: 'archive.group_removed', hit })),
        ]),
  ])('loses nothing when its sealing is killed at $point, hit $hit', async ({ point, hit }) => {
    await using store = await filled(engine);
    const answers = everyReading(store);
    expect(await killed(store, { work: 'seal', point, hit })).toBe('SIGKILL');
    expect(everyReading(store)).toEqual(answers);
    const { rows } = await seal(store);
    expect(everyReading(store)).toEqual(answers);
    expect((await store.archive.files()).map(({ state }) => state)).toEqual(['sealed', 'sealed']);
    expect((await store.rows()).samples.length).toBeLessThan(rows / 10);
  });

  it.each(
    engine === 'postgres'
      ? ['archive.rows_restored']
      : ['archive.group_restored', 'archive.rows_restored', 'archive.released', 'archive.file_removed'],
  )('loses nothing when its unsealing is killed at %s', async (point) => {
    await using store = await filled(engine);
    const [answers, rows] = [everyReading(store), await store.rows()];
    await seal(store);
    expect(await killed(store, { work: 'unseal', point, hit: 1 })).toBe('SIGKILL');
    expect(everyReading(store)).toEqual(answers);
    await store.archive.unseal(month, signal, () => {});
    expect(await store.rows()).toEqual(rows);
    expect(await store.files()).toEqual([]);
    expect(await store.archive.files()).toEqual([]);
  });
});

it('no name of a month is that of another one', () => {
  expect(monthNamed('0070-01')).toBeUndefined();
  expect(monthNamed('1970-01')?.fromMs).toBe(0);
});

it('a sealing that goes on keeps readings that have come meanwhile, as many as a removed group had', async () => {
  await using store = await filled('sqlite');
  const { ingest, place } = store;
  const series = [seriesKey({ experimentUid: 'e0' }), seriesKey({ experimentUid: 'e0', channel: '2', angle: null })];
  const write = (moments: readonly number[]) =>
    ingest.write({
      series,
      readings: moments.flatMap((at) => [0, 1].map((one) => ({ series: one, at, value: at % 1_000 }))),
      nowMs: next.fromMs,
    });
  await write([month.fromMs + 1, month.fromMs + 900, next.fromMs + 1]);
  const ending = new AbortController();
  const first = archiveOf(store, (point) => {
    if (point === 'archive.group_removed') ending.abort(new Error('ended'));
  });
  await expect(first.seal(month, place, ending.signal, () => {})).rejects.toThrow('ended');
  await write([month.fromMs + 300, month.fromMs + 500]);
  await seal(store);
  const { samples } = await store.rows();
  for (const at of [300, 500]) expect(samples.filter((one) => one.at === month.fromMs + at)).toHaveLength(2);
});

it('readings of no experiment of several leaders are in files of their own', async () => {
  await using one = await filled('sqlite');
  await using two = await filled('sqlite');
  const archives: Archive[] = [];
  for (const [leaderId, store] of Object.entries({ one, two })) {
    const readings = [{ series: 0, at: month.fromMs, value: 3 }];
    const series = [seriesKey({ experimentUid: '$experiment' })];
    await store.ingest.write({ series, readings, nowMs: next.fromMs });
    await store.ids.of(series, 0);
    const archive = archiveOf(store, () => {}, leaderId);
    await store.database.write((transaction) =>
      transaction.deleteFrom('series').where('experiment_uid', '!=', '$experiment').execute(),
    );
    await archive.seal(month, one.place, signal, () => {});
    archives.push(archive);
  }
  expect(await one.files()).toHaveLength(2);
  for (const archive of archives) expect(await archive.verify(month, signal, () => {})).toEqual([]);
});

describe('a sealed file', () => {
  it('with one changed byte, or missing, is named by the verification, and is not unsealed', async () => {
    await using store = await filled('sqlite');
    await seal(store);
    const path = join(store.place, `${month.name}/${uid}.parquet`);
    const bytes = await readFile(path);
    bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
    await writeFile(path, bytes);
    await rm(join(store.place, `${month.name}/${otherUid}.parquet`));
    const faulty = await store.archive.verify(month, signal, () => {});
    expect(faulty.map(({ file }) => file)).toEqual([
      `${month.name}/${uid}.parquet`,
      `${month.name}/${otherUid}.parquet`,
    ]);
    await expect(store.archive.unseal(month, signal, () => {})).rejects.toThrow(uid);
    expect(await store.archive.files()).toHaveLength(2);
  });

  it('is read group by group: an hour does not need the whole month', async () => {
    await using store = await filled('sqlite');
    const reader = SeriesReader.open(store.store);
    const nowMs = firstMs + 2 * hourMs;
    const question = { experimentUid: uid, source: 'od', channel: '1', lookbackHours: 1, targetPoints: 1_000, nowMs };
    const hour = () => Buffer.from(reader.answer(question).bytes).toString();
    const before = hour();
    await seal(store);
    // The row groups of the other channel and of later hours are unreadable now.
    const path = join(store.place, `${month.name}/${uid}.parquet`);
    const bytes = await readFile(path);
    const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
    const end = bytes.length - footer;
    bytes.fill(0, Math.floor(end * 0.8), end);
    await writeFile(path, bytes);
    expect(hour()).toBe(before);
    expect(() => store.answer(uid, 24 * 31, 100_000)).toThrow();
    reader.close();
  });
});
