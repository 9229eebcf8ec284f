import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moveStores, PostgresDatabase, realClock, SqliteDatabase, type StoredDatabase, silentLog } from '@lcs/platform';
import { openSqlReader } from '@lcs/platform/sql-reader';
import { ExperimentData } from '../../packages/leader/src/series/experiment-data.ts';
import { SeriesIds } from '../../packages/leader/src/series/series-ids.ts';
import { SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';
import { leaderMigrations } from '../../packages/leader/src/store/migrations.ts';
import type { LeaderTables } from '../../packages/leader/src/store/tables.ts';
import type { Figure } from './figures.ts';
import { makeDatabase } from './new-database.ts';
import { storeDays } from './ten-days.ts';

const endMs = Date.UTC(2026, 4, 11);
const experimentUid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';
const longDays = 10;
/** Of the experiment that remains and is read while the other is deleted. */
const remainingUid = '0b0e2c43-5c0d-4d0c-8d52-3c8f8f6d2f77';

interface Ground {
  readonly url: string;
  readonly server: string;
  readonly folder: string;
}

const tools = { migrations: leaderMigrations, clock: realClock(), log: silentLog() };
const schema = 'lcs';

async function ingestTo(database: StoredDatabase<LeaderTables>, days: number): Promise<number> {
  const seconds = await storeDays(new SeriesIngest(database, new SeriesIds(database)), experimentUid, endMs, days);
  return (await countOf(database)) / seconds;
}

async function countOf({ read }: StoredDatabase<LeaderTables>): Promise<number> {
  const { n } = await read
    .selectFrom('samples')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return (performance.now() - startedMs) / 1_000;
}

/** Removes the experiment. Seconds taken. */
function remove(database: StoredDatabase<LeaderTables>): Promise<number> {
  const data = new ExperimentData({
    database,
    ids: { forget: () => {} },
    settled: () => Promise.resolve(),
    now: () => endMs,
  });
  return timed(() => data.remove(experimentUid, new AbortController().signal, () => {}));
}

/** Removes it beside another experiment, of which a chart's query is asked again and again; times of these in ms. */
async function deletion(
  database: StoredDatabase<LeaderTables>,
): Promise<{ seconds: number; reads: readonly number[] }> {
  await storeDays(new SeriesIngest(database, new SeriesIds(database)), remainingUid, endMs, 1 / 8);
  const { id } = await database.read
    .selectFrom('series')
    .where('experiment_uid', '=', remainingUid)
    .select('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const ended = new AbortController();
  const reads: number[] = [];
  const reading = (async () => {
    while (!ended.signal.aborted) {
      const startedMs = performance.now();
      await database.read
        .selectFrom('samples')
        .select(['at', 'value'])
        .where('series_id', '=', id)
        .where('at', '>', endMs - 3_600_000)
        .orderBy('at')
        .limit(720)
        .execute();
      reads.push(performance.now() - startedMs);
      await realClock().sleep(5);
    }
  })();
  const seconds = await remove(database);
  ended.abort();
  await reading;
  return { seconds, reads };
}

function sizeOf(url: string): number {
  const reader = openSqlReader({ url, schema }, { timeoutMs: 5_000 });
  try {
    const row = reader
      .prepare(
        `select sum(pg_total_relation_size(oid)) as bytes from pg_class
          where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
      )
      .get();
    return Number(row?.bytes);
  } finally {
    reader.close();
  }
}

async function whileRunning<Result>(
  database: StoredDatabase<LeaderTables>,
  use: (database: StoredDatabase<LeaderTables>) => Promise<Result>,
): Promise<Result> {
  await database.start(new AbortController().signal);
  try {
    return await use(database);
  } finally {
    await database.stop();
  }
}

async function measure({ url, server, folder }: Ground, days: number): Promise<Figure[]> {
  const path = join(folder, 'leader.sqlite');
  const sqliteRate = await whileRunning(new SqliteDatabase<LeaderTables>({ ...tools, path }), (database) =>
    ingestTo(database, days),
  );
  const postgres = await whileRunning(
    new PostgresDatabase<LeaderTables>({ ...tools, url, schema }),
    async (database) => ({
      rate: await ingestTo(database, days),
      readings: await countOf(database),
      bytes: sizeOf(url),
    }),
  );
  const { readings, bytes } = postgres;
  const named = `${readings.toLocaleString('en')} readings with roll-ups`;
  const move = (schemaName: string, file: string, back: boolean) => {
    const [from, to] = [{ is: 'sqlite' }, { is: 'postgres', url }] as const;
    return moveStores({
      ...(back ? { from: to, to: from } : { from, to }),
      stores: [{ name: 'store', path: file, schema: schemaName, migrations: leaderMigrations }],
      clock: realClock(),
      log: silentLog(),
      onProgress: () => {},
      onPoint: () => {},
    });
  };
  const thereSeconds = await timed(() => move('moved', path, false));
  const backSeconds = await timed(() => move('moved', join(folder, 'back.sqlite'), true));
  const deleted = await whileRunning(new PostgresDatabase<LeaderTables>({ ...tools, url, schema }), deletion);
  const alone = await whileRunning(new PostgresDatabase<LeaderTables>({ ...tools, url, schema: 'moved' }), remove);
  const sqliteBytes = (await stat(path)).size;
  const onSqlite = await whileRunning(new SqliteDatabase<LeaderTables>({ ...tools, path }), remove);
  return [
    { name: 'readings stored on SQLite', value: sqliteRate, unit: '/s' },
    { name: `readings stored on PostgreSQL (server ${server})`, value: postgres.rate, unit: '/s' },
    { name: `bytes per reading on SQLite, ${named}`, value: sqliteBytes / readings, unit: 'B' },
    { name: `bytes per reading on PostgreSQL, ${named}`, value: bytes / readings, unit: 'B' },
    { name: 'moved to PostgreSQL and compared', value: readings / thereSeconds, unit: 'readings/s' },
    { name: 'moved to SQLite and compared', value: readings / backSeconds, unit: 'readings/s' },
    { name: 'deleted on SQLite', value: onSqlite, unit: 's' },
    { name: 'deleted on PostgreSQL, alone in its partitions', value: alone, unit: 's' },
    { name: 'deleted on PostgreSQL, beside another experiment', value: deleted.seconds, unit: 's' },
    { name: 'a read of 720 readings meanwhile, p50', value: percentile(deleted.reads, 0.5), unit: 'ms' },
    { name: 'a read of 720 readings meanwhile, p99', value: percentile(deleted.reads, 0.99), unit: 'ms' },
    { name: 'a read of 720 readings meanwhile, longest', value: percentile(deleted.reads, 1 - 1e-9), unit: 'ms' },
  ];
}

/** Figures of the store on PostgreSQL beside SQLite: `postgres`, or `postgres=36` for 36 days (10 million readings). */
export async function postgresBench(part: string): Promise<Figure[]> {
  const days = part === '' ? longDays : Number(part);
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const { url, server, admin, name } = await makeDatabase();
  try {
    return await measure({ url, server, folder }, days);
  } finally {
    await admin.run(`drop database ${name} with (force)`);
    await admin[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
}
