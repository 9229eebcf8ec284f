import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { type ContractTables, contractMigrations } from '../../testing/contract-schema.ts';
import { isPostgresInstalled, PostgresAdmin, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { ActiveLock } from './active-lock.ts';
import { IngestRegister, leaveIngest, registerIngest } from './ingest-register.ts';
import { PostgresDatabase, type PostgresDatabaseOptions } from './postgres-database.ts';

const never = new AbortController().signal;
const clock = realClock();
const log = new RecordingLog();
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

/** A database with an active process. */
async function withActive() {
  const server = await testPostgres();
  const name = `ingest_${randomUUID().replaceAll('-', '')}`;
  await using admin = await PostgresAdmin.open(server.url('postgres'));
  await admin.run(`create database ${name}`);
  const url = server.url(name);
  const lock = new ActiveLock({ url, clock, log });
  expect(await lock.request()).toBe(true);
  const register = new IngestRegister({ url, clock, log });
  await register.start(never);
  const active = await databaseOn(url, { active: lock });
  return {
    url,
    register,
    active,
    [Symbol.asyncDispose]: async () => {
      await active[Symbol.asyncDispose]();
      await register.stop();
      await lock.release();
    },
  };
}

async function databaseOn(url: string, options: Partial<PostgresDatabaseOptions>) {
  const database = new PostgresDatabase<ContractTables>({
    url,
    schema: 'store',
    migrations: contractMigrations,
    clock,
    log,
    readers: 1,
    ...options,
  });
  await database.start(never);
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.stop() });
}

const insertNote = 'insert into notes (name) values (?)';
type Store = Awaited<ReturnType<typeof databaseOn>>;

const namesIn = async ({ read }: Store) =>
  (await read.selectFrom('notes').select('name').orderBy('id').execute()).map(({ name }) => name);

describe.skipIf(!isPostgresInstalled)('a process that stores feeds beside the active one', () => {
  it('stores until it has left, and nothing without being registered', async () => {
    await using cluster = await withActive();
    const { url, register } = cluster;
    await registerIngest(url, 'a', '1');
    expect(await register.processes()).toEqual(['a']);
    await using ingest = await databaseOn(url, { ingest: 'a' });
    await ingest.bulk([{ sql: insertNote, rows: [['one']] }]);
    await cluster.active.bulk([{ sql: insertNote, rows: [['two']] }]);
    await leaveIngest(url, 'a');
    expect(await register.processes()).toEqual([]);
    const fenced = { name: 'StoreError', code: 'fenced' };
    await expect(ingest.bulk([{ sql: insertNote, rows: [['three']] }])).rejects.toMatchObject(fenced);
    const insert = ingest.write((transaction) => transaction.insertInto('notes').values({ name: 'four' }).execute());
    await expect(insert).rejects.toMatchObject(fenced);
    expect(await namesIn(cluster.active)).toEqual(['one', 'two']);
  });

  it('stores nothing of a transaction in which it was fenced', async () => {
    await using cluster = await withActive();
    const { url, register } = cluster;
    await registerIngest(url, 'a', '1');
    await using ingest = await databaseOn(url, { ingest: 'a' });
    const isInside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const change = ingest.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'one' }).execute();
      isInside.resolve();
      await goOn.promise;
    });
    const refused = expect(change).rejects.toMatchObject({ name: 'StoreError' });
    await isInside.promise;
    await register.fence('a');
    // Nothing waits for it any more.
    await cluster.active.bulk([{ sql: insertNote, rows: [['two']] }]);
    goOn.resolve();
    await refused;
    // It connects again, and is still fenced.
    await vi.waitFor(
      () =>
        expect(ingest.bulk([{ sql: insertNote, rows: [['three']] }])).rejects.toMatchObject({
          code: 'fenced',
        }),
      patient,
    );
    expect(await namesIn(cluster.active)).toEqual(['two']);
  });

  it('does not wait for the samples of another one, but for a command', async () => {
    await using cluster = await withActive();
    const { url } = cluster;
    for (const process of ['a', 'b']) await registerIngest(url, process, '1');
    await using one = await databaseOn(url, { ingest: 'a' });
    await using other = await databaseOn(url, { ingest: 'b' });
    await using admin = await PostgresAdmin.open(url);
    // As a transaction with samples that lasts.
    await admin.run(`select pg_advisory_lock_shared(hashtext('lcs'), hashtext('store'))`);
    await one.bulk([{ sql: insertNote, rows: [['one']] }]);
    await other.bulk([{ sql: insertNote, rows: [['other']] }]);
    await admin.run(`select pg_advisory_unlock_shared(hashtext('lcs'), hashtext('store'));
      select pg_advisory_lock(hashtext('lcs'), hashtext('store'))`);
    await expect(one.bulk([{ sql: insertNote, rows: [['y']] }])).rejects.toMatchObject({ code: 'busy' });
    expect(await namesIn(cluster.active)).toEqual(['one', 'other']);
  });
});
