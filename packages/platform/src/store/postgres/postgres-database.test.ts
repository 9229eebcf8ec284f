import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../clock/clock.ts';
import { realClock } from '../../clock/real-clock.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { type ContractTables, contractMigrations } from '../../testing/contract-schema.ts';
import { databaseContract } from '../../testing/database-contract.ts';
import { isPostgresInstalled, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { PostgresDatabase, type PostgresDatabaseOptions } from './postgres-database.ts';

const started = async (options: Partial<PostgresDatabaseOptions> = {}) => {
  const server = await testPostgres();
  const database = new PostgresDatabase<ContractTables>({
    url: server.url('postgres'),
    schema: `test_${randomUUID()}`,
    migrations: contractMigrations,
    clock: realClock(),
    log: new RecordingLog(),
    ...options,
  });
  await database.start(new AbortController().signal);
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.stop() });
};

type Started = Awaited<ReturnType<typeof started>>;

const addNote = (database: Started, name: string) =>
  database.write((transaction) => transaction.insertInto('notes').values({ name }).execute());

const names = async ({ read }: Started) =>
  (await read.selectFrom('notes').select('name').orderBy('id').execute()).map(({ name }) => name);

describe.skipIf(!isPostgresInstalled)('a Database on PostgreSQL', () => {
  databaseContract(() => started());

  it('undoes a write that lasts too long, refuses its later queries and begins the next command', async () => {
    const clock = new VirtualClock();
    await using database = await started({ clock });
    const inserted = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const slow = database.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'slow' }).execute();
      inserted.resolve();
      await goOn.promise;
      await transaction.insertInto('notes').values({ name: 'late' }).execute().catch(late.resolve);
    });
    const next = addNote(database, 'next');
    const outcome = expect(slow).rejects.toMatchObject({ code: 'write_time_limit' });
    await inserted.promise;
    await clock.advance(5_000);
    await outcome;
    goOn.resolve();
    expect(await late.promise).toMatchObject({ code: 'write_time_limit' });
    await next;
    expect(await names(database)).toEqual(['next']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('cancels a query that lasts too long', async () => {
    await using database = await started({ writeTimeLimitMs: 50 });
    const stuck = database.write((transaction) => sql`select pg_sleep(60)`.execute(transaction));
    await expect(stuck).rejects.toMatchObject({ code: 'write_time_limit' });
    await addNote(database, 'next');
    expect(await names(database)).toEqual(['next']);
  });

  it('undoes a command after a read that failed, and says so', async () => {
    await using database = await started();
    const work = database.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'a' }).execute();
      await sql`select 1 / 0`.execute(transaction).catch(() => {});
      await transaction.insertInto('notes').values({ name: 'b' }).execute();
    });
    await expect(work).rejects.toMatchObject({ code: 'transaction_rolled_back' });
    expect(await names(database)).toEqual([]);
  });

  it('counts the commits of another process', async () => {
    const schema = `test_${randomUUID()}`;
    await using one = await started({ schema });
    await using other = await started({ schema });
    const before = one.version;
    await addNote(other, 'a');
    await vi.waitFor(() => expect(one.version).toBeGreaterThan(before));
    expect(await names(one)).toEqual(['a']);
  });

  it('waits for a command of another process, and refuses when that takes too long', async () => {
    const schema = `test_${randomUUID()}`;
    await using one = await started({ schema });
    await using other = await started({ schema });
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const long = one.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'a' }).execute();
      begun.resolve();
      await goOn.promise;
    });
    await begun.promise;
    await expect(addNote(other, 'b')).rejects.toMatchObject({ code: 'busy' });
    goOn.resolve();
    await long;
    await addNote(other, 'c');
    expect(await names(one)).toEqual(['a', 'c']);
  });

  it('lets commands pass also when samples have waited for long', async () => {
    const clock = realClock();
    let monotonicMs = 0;
    const slow: Clock = {
      now: () => clock.now(),
      // Each look at the clock is long after the one before.
      monotonic: () => (monotonicMs += 1_000),
      after: (delayMs, action) => clock.after(delayMs, action),
      every: (intervalMs, action) => clock.every(intervalMs, action),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      hold: (reason) => clock.hold(reason),
    };
    await using database = await started({ clock: slow });
    const answered: string[] = [];
    const rows = Array.from({ length: 20_000 }, (_, at) => [1, at, at / 4]);
    const samples = database
      .bulk([{ sql: 'insert into samples (series, at, value) values (?, ?, ?)', rows }], { isDivisible: true })
      .then(() => answered.push('samples'));
    const commands = ['a', 'b', 'c'].map((name) => addNote(database, name).then(() => answered.push(name)));
    await Promise.all([samples, ...commands]);
    expect(answered).toEqual(['a', 'b', 'c', 'samples']);
  });

  it('writes the statements for rows that changed nothing, and only for those', async () => {
    await using database = await started();
    await database.bulk([
      {
        sql: 'insert into notes (name, body) values (?, ?) on conflict do nothing',
        rows: [
          ['a', 'first'],
          ['b', 'only'],
          ['a', 'second'],
        ],
        otherwise: ['update notes set body = ?2 where name = ?1'],
      },
    ]);
    expect(await database.read.selectFrom('notes').select(['name', 'body']).orderBy('name').execute()).toEqual([
      { name: 'a', body: 'second' },
      { name: 'b', body: 'only' },
    ]);
  });

  it('writes rows of one key in their order', async () => {
    await using database = await started();
    const sqlText = `insert into notes (name, body) values (?, ?)
      on conflict (name) do update set body = notes.body || excluded.body`;
    const rows = [
      ['a', '1'],
      ['b', '1'],
      ['a', '2'],
      ['a', '3'],
    ];
    await database.bulk([{ sql: sqlText, rows }]);
    expect(await database.read.selectFrom('notes').select(['name', 'body']).orderBy('name').execute()).toEqual([
      { name: 'a', body: '123' },
      { name: 'b', body: '1' },
    ]);
  });

  it('fails calls without a connection, connects again, and goes on', async () => {
    const lines = new RecordingLog();
    const { url } = await testPostgres();
    const role = `r${randomUUID().replaceAll('-', '')}`;
    const admin = await PostgresConnection.open({ url: url('postgres'), schema: 'public', readOnly: false });
    await admin.script(`create role ${role} login superuser`);
    const schema = `test_${randomUUID()}`;
    await using database = await started({
      schema,
      log: lines,
      url: url('postgres').replace('lcs@', `${role}:secret-of-the-test@`),
    });
    await addNote(database, 'before');
    // Nobody of this name may come in until the role may again.
    await admin.script(`alter role ${role} nologin`);
    const cut = expect(
      database.write((transaction) => sql`select pg_sleep(60)`.execute(transaction)),
    ).rejects.toMatchObject({ code: 'connection_lost' });
    await vi.waitFor(async () => {
      const { rows } = await admin.run({
        text: `select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and query like '%pg_sleep%'`,
        values: [role],
      });
      expect(rows).toHaveLength(1);
    });
    await cut;
    await expect(addNote(database, 'without')).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(database.bulk([{ sql: 'insert into notes (name) values (?)', rows: [['x']] }])).rejects.toMatchObject({
      code: 'connection_lost',
    });
    await admin.script(`alter role ${role} login`);
    await vi.waitFor(() => addNote(database, 'after'), { timeout: 10_000 });
    expect(await names(database)).toEqual(['before', 'after']);
    expect(JSON.stringify(lines.lines)).not.toContain('secret-of-the-test');
    admin.close();
  });

  it('does not know whether a change is stored whose connection is lost at its end', async () => {
    const schema = `test_${randomUUID()}`;
    await using database = await started({ schema });
    const { url } = await testPostgres();
    const admin = await PostgresConnection.open({ url: url('postgres'), schema, readOnly: false });
    await admin.script(`create function cut() returns trigger language plpgsql as
        $$ begin if new.name = 'cut' then perform pg_terminate_backend(pg_backend_pid()); end if; return null; end $$;
      create constraint trigger cut after insert on notes deferrable initially deferred
        for each row execute function cut()`);
    admin.close();
    await expect(addNote(database, 'cut')).rejects.toMatchObject({ code: 'outcome_unknown' });
    await vi.waitFor(() => addNote(database, 'after'), { timeout: 10_000 });
    const cut = database.bulk([{ sql: 'insert into notes (name) values (?)', rows: [['cut']] }]);
    await expect(cut).rejects.toMatchObject({ code: 'outcome_unknown' });
    await vi.waitFor(() => addNote(database, 'last'), { timeout: 10_000 });
    expect(await names(database)).toEqual(['after', 'last']);
  });

  it('refuses a server that is not there, without the password', async () => {
    const refused = started({ url: 'postgres://lcs:secret-of-the-test@%2Fnowhere/postgres' });
    await expect(refused).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(refused).rejects.not.toThrow('secret-of-the-test');
  });

  it('refuses a database that sorts texts otherwise than by their bytes', async () => {
    const { url } = await testPostgres();
    const admin = await PostgresConnection.open({ url: url('postgres'), schema: 'public', readOnly: false });
    await admin.script(`create database latin template template0 encoding 'LATIN1' locale 'C'`);
    admin.close();
    await expect(started({ url: url('latin') })).rejects.toMatchObject({ code: 'database_unopenable' });
  });
});
