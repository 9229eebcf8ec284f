import { randomUUID } from 'node:crypto';
import { type Migration, PostgresDatabase, realClock, silentLog } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin, testPostgres } from '@lcs/platform/testing';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { leaderMigrations } from '../store/migrations.ts';
import type { LeaderTables } from '../store/tables.ts';
import { seriesKey, testSeriesStore } from '../testing/test-series.ts';
import { ExperimentData } from './experiment-data.ts';
import { moveSql } from './ingest-sql.ts';
import { SeriesIds } from './series-ids.ts';
import { type ReadingBatch, SeriesIngest } from './series-ingest.ts';

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;

/** The tables of readings. */
const seriesMigrations = leaderMigrations.filter(({ set }) =>
  ['leader', 'derivations', 'clock_corrections', 'partitions', 'archive'].includes(set),
);

async function started(schema = `months_${randomUUID()}`, migrations: readonly Migration[] = seriesMigrations) {
  const database = new PostgresDatabase<LeaderTables>({
    url: (await testPostgres()).url('postgres'),
    schema,
    migrations,
    clock: realClock(),
    log: silentLog(),
    readers: 1,
  });
  await database.start(new AbortController().signal);
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.stop() });
}

type Store = Awaited<ReturnType<typeof started>>;

/** The number of readings in each partition. */
async function partitions({ read }: Store): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('samples') order by 1`.execute(read);
  const counts = new Map<string, number>();
  for (const { name } of rows) {
    const counted = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(read);
    counts.set(name, counted.rows[0]?.n ?? Number.NaN);
  }
  return counts;
}

/** The end of the month in which the store was made: what comes later is in partitions of its own. */
async function firstEnd({ read }: Store): Promise<number> {
  const { rows } = await sql<{ bound: string }>`select pg_get_expr(relpartbound, oid) as bound from pg_class
    where oid = to_regclass('samples_first')`.execute(read);
  return Number(/TO \('(\d+)'\)/.exec(rows[0]?.bound ?? '')?.[1]);
}

const monthName = (atMs: number) => `samples_${new Date(atMs).toISOString().slice(0, 7).replace('-', '_')}`;
const later = (atMs: number, months: number) => {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
};

const contentOf = async ({ read }: Pick<Store, 'read'>) => ({
  samples: await read.selectFrom('samples').selectAll().orderBy('series_id').orderBy('at').execute(),
  flags: await read.selectFrom('sample_flags').selectAll().orderBy('series_id').orderBy('at').execute(),
  hours: await read.selectFrom('rollup_1h').selectAll().orderBy('series_id').orderBy('bucket').execute(),
  marks: await read.selectFrom('feed_marks').select(['reactor_unit', 'seq']).execute(),
});

describe.skipIf(!isPostgresInstalled)('the partitions of readings on PostgreSQL', () => {
  it('store the same as SQLite at the turn of a month, from clocks that are years off, and what is sent twice', async () => {
    await using store = await started();
    await using sqlite = await testSeriesStore();
    const ingest = new SeriesIngest(store, new SeriesIds(store));
    const turnMs = later(await firstEnd(store), 1);
    const around = Array.from({ length: 40 }, (_, at) => ({
      series: at % 2,
      at: turnMs - 2_000 + at * 100,
      value: at / 3,
    }));
    const batch: ReadingBatch = {
      series: [seriesKey(), seriesKey({ channel: '2' })],
      readings: [
        ...around,
        // Another value at a time that is taken, the last millisecond of the month, and clocks that are off.
        { series: 0, at: turnMs - 2_000, value: 9 },
        { series: 0, at: turnMs - 1, value: 7 },
        { series: 0, at: turnMs - 1, value: 8 },
        ...[0, 1, turnMs - 20 * yearMs, turnMs + 10 * yearMs, turnMs + 70 * yearMs].map((at) => ({
          series: 1,
          at,
          value: 4,
        })),
      ],
      mark: { unit: 'rx01', epoch: 'e', seq: 9 },
      nowMs: turnMs - 60_000,
    };
    for (const target of [ingest, sqlite.ingest]) {
      await target.write(batch);
      await target.write({ ...batch, nowMs: turnMs + 1 });
    }
    expect(await contentOf(store)).toEqual(await contentOf(sqlite.database));
    expect(await partitions(store)).toEqual(
      new Map([
        [monthName(later(turnMs, -1)), 22],
        [monthName(turnMs), 21],
        [monthName(later(turnMs, 1)), 0],
        [monthName(later(turnMs, 2)), 0],
        ['samples_default', 2],
        ['samples_first', 3],
      ]),
    );
  });

  it('find readings that are sent again by their index, also without statistics', async () => {
    await using store = await started();
    const ingest = new SeriesIngest(store, new SeriesIds(store));
    const startMs = await firstEnd(store);
    const readings = Array.from({ length: 6_000 }, (_, n) => ({ series: 0, at: startMs + n * 1_000, value: n }));
    await ingest.write({ series: [seriesKey()], readings, nowMs: startMs + 1 });
    const values = ['1', String(startMs), '0', 'null'];
    for (const statement of moveSql) {
      const text = statement.replaceAll(/\?(\d)/g, (_, place: string) => values[Number(place) - 1] ?? '');
      const { rows } = await sql.raw<Record<string, unknown>>(`explain ${text}`).execute(store.read);
      expect(JSON.stringify(rows)).toContain('Index');
      expect(JSON.stringify(rows)).not.toMatch(/Hash|-> *Sort/);
    }
  });

  it('take the readings of their month from the default partition', async () => {
    await using store = await started();
    const ingest = new SeriesIngest(store, new SeriesIds(store));
    const endMs = await firstEnd(store);
    const soonMs = later(endMs, 5);
    const write = (at: number, nowMs: number) =>
      ingest.write({ series: [seriesKey()], readings: [{ series: 0, at, value: 1 }], nowMs });
    await write(soonMs + 3, endMs - 1);
    expect((await partitions(store)).get('samples_default')).toBe(1);
    await write(soonMs + 4, soonMs);
    const counts = await partitions(store);
    expect([counts.get('samples_default'), counts.get(monthName(soonMs))]).toEqual([0, 2]);
  });

  it('keep no reading waiting while another query uses the table, and are made later', async () => {
    const schema = `months_${randomUUID()}`;
    await using store = await started(schema);
    const ingest = new SeriesIngest(store, new SeriesIds(store));
    const monthMs = await firstEnd(store);
    const write = (at: number, nowMs: number) =>
      ingest.write({ series: [seriesKey()], readings: [{ series: 0, at, value: 1 }], nowMs });
    {
      await using other = await PostgresAdmin.open((await testPostgres()).url('postgres'));
      await other.run(`begin; lock table "${schema}".samples_default in access share mode`);
      await write(monthMs + 1, monthMs);
      expect(await partitions(store)).toEqual(
        new Map([
          ['samples_default', 1],
          ['samples_first', 0],
        ]),
      );
      await other.run('commit');
    }
    await write(monthMs + 2, monthMs + 60_000);
    const counts = await partitions(store);
    expect([counts.get('samples_default'), counts.get(monthName(monthMs))]).toEqual([0, 2]);
  });

  it('are emptied at once where they have readings of the deleted experiment only, and removed when they are past', async () => {
    await using store = await started();
    const ids = new SeriesIds(store);
    const ingest = new SeriesIngest(store, ids);
    const [first, second] = [await firstEnd(store), later(await firstEnd(store), 1)];
    const write = (experimentUid: string, at: number) =>
      ingest.write({ series: [seriesKey({ experimentUid })], readings: [{ series: 0, at, value: 1 }], nowMs: first });
    for (const at of [first + 1, first + 2, second + 1]) await write('e1', at);
    await write('e2', second + 1);
    let removed = 0;
    const nowMs = later(second, 1);
    const data = new ExperimentData({ database: store, ids, settled: async () => {}, now: () => nowMs });
    await data.remove('e1', new AbortController().signal, (rows) => {
      removed += rows;
    });
    expect(removed).toBe(3);
    expect((await contentOf(store)).samples).toMatchObject([{ at: second + 1 }]);
    const left = await partitions(store);
    expect([left.has(monthName(first)), left.get(monthName(second))]).toEqual([false, 1]);
  });

  it('take over the readings of a store that had none', async () => {
    const schema = `months_${randomUUID()}`;
    const before = seriesMigrations.filter(({ set }) => set !== 'partitions');
    const now = Date.now();
    const moments = [0, now - yearMs, now, now + 3 * yearMs];
    {
      await using store = await started(schema, before);
      const rows = moments.map((at) => [1, at, 0.5]);
      await store.bulk([{ sql: 'insert into samples (series_id, at, value) values (?, ?, ?)', rows }]);
    }
    await using store = await started(schema);
    expect((await contentOf(store)).samples.map(({ at }) => at)).toEqual(moments);
    expect(await partitions(store)).toEqual(
      new Map([
        ['samples_default', 1],
        ['samples_first', 3],
      ]),
    );
  });
});
