import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { type ContractTables, contractMigrations } from '../../testing/contract-schema.ts';
import { isPostgresInstalled, PostgresAdmin, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { ActiveLock, type ActiveLockOptions, type ActiveState, locked } from './active-lock.ts';
import { ActiveLockKeeper, type KeeperOptions } from './active-lock-keeper.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { PostgresDatabase } from './postgres-database.ts';

const never = new AbortController().signal;
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

/** A database of its own: locks belong to a database. */
async function newDatabase() {
  const server = await testPostgres();
  const name = `locks_${randomUUID().replaceAll('-', '')}`;
  await using admin = await PostgresAdmin.open(server.url('postgres'));
  await admin.run(`create database ${name}`);
  return server.url(name);
}

/** The processes of the server that have the lock of the active process. */
async function holders(url: string): Promise<number[]> {
  const connection = await PostgresConnection.open({ url, schema: 'public', readOnly: true });
  const { rows } = await connection.run({
    text: `select pid from pg_locks where ${locked('lcs', 'active')}`,
    values: [],
  });
  connection.close();
  return rows.map(({ pid }) => Number(pid));
}

async function cut(url: string): Promise<void> {
  await using admin = await PostgresAdmin.open(url);
  for (const pid of await holders(url)) await admin.run(`select pg_terminate_backend(${pid})`);
}

const lockOn = (url: string, options: Partial<ActiveLockOptions> = {}) => {
  const lock = new ActiveLock({ url, clock: realClock(), log: new RecordingLog(), ...options });
  return Object.assign(lock, { [Symbol.asyncDispose]: () => lock.release() });
};

const keeperOn = (url: string, options: Partial<KeeperOptions> = {}) => {
  const onTaken = vi.fn();
  const self = { process: randomUUID(), nodeId: 'node', boot: 1, publicKey: 'key', version: '1' };
  const keeper = new ActiveLockKeeper({ url, clock: realClock(), log: new RecordingLog(), self, onTaken, ...options });
  return Object.assign(keeper, { onTaken, self, [Symbol.asyncDispose]: () => keeper.stop() });
};

const writerOn = async (url: string, active: ActiveState) => {
  const database = new PostgresDatabase<ContractTables>({
    url,
    schema: 'store',
    migrations: contractMigrations,
    active,
    clock: realClock(),
    log: new RecordingLog(),
    readers: 1,
  });
  await database.start(never);
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.stop() });
};

type Writer = Awaited<ReturnType<typeof writerOn>>;

const addNote = (database: Writer, name: string) =>
  database.write((transaction) => transaction.insertInto('notes').values({ name }).execute());

describe.skipIf(!isPostgresInstalled)('the lock of the active process', () => {
  it('belongs to one process, and to the next one when that releases it', async () => {
    const url = await newDatabase();
    await using one = lockOn(url);
    await using other = lockOn(url);
    expect(await one.lastActive()).toBeUndefined();
    expect([await one.request(), await other.request()]).toEqual([true, false]);
    const active = { process: 'p', nodeId: 'n', boot: 3, publicKey: 'key', version: '1', url: 'http://127.0.0.1:1' };
    await one.announce(active);
    expect(await other.lastActive()).toEqual(active);
    expect([one.isHeld, other.isHeld]).toEqual([true, false]);
    await one.release();
    await other.wait(never);
    expect([one.isHeld, other.isHeld]).toEqual([false, true]);
  });

  it('is lost with its connection, for good', async () => {
    const url = await newDatabase();
    await using one = lockOn(url);
    expect(await one.request()).toBe(true);
    await cut(url);
    await one.lost;
    expect(one.isHeld).toBe(false);
    await expect(one.request()).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(
      one.announce({ process: 'p', nodeId: 'n', boot: 1, publicKey: 'key', version: '1', url: null }),
    ).rejects.toMatchObject({
      code: 'connection_lost',
    });
  });

  it('is lost when the server does not answer in time', async () => {
    const url = await newDatabase();
    const clock = new VirtualClock();
    await using one = lockOn(url, { clock });
    expect(await one.request()).toBe(true);
    const [pid = 0] = await holders(url);
    // The tests started this server.
    process.kill(pid, 'SIGSTOP');
    try {
      await vi.waitFor(async () => {
        await clock.advance(500);
        expect(one.isHeld).toBe(false);
      }, patient);
      await one.lost;
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(clock.pendingTimers).toBe(0);
  });

  it('carries messages, also over the next connection of a process that waits', async () => {
    const url = await newDatabase();
    await using one = lockOn(url);
    await using other = lockOn(url);
    const received: string[] = [];
    await one.listen('messages', (payload) => received.push(payload));
    expect(await one.request()).toBe(true);
    await other.notify('messages', "it's");
    await vi.waitFor(() => expect(received).toEqual(["it's"]), patient);
  });

  it('ends the writing connection of the process that was active before, which cannot come back', async () => {
    const url = await newDatabase();
    await using before = lockOn(url);
    expect(await before.request()).toBe(true);
    await using old = await writerOn(url, before);
    await addNote(old, 'a');
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const half = old.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'half' }).execute();
      begun.resolve();
      await goOn.promise;
    });
    const failed = expect(half).rejects.toMatchObject({ code: 'connection_lost' });
    await begun.promise;
    await cut(url);
    await using now = lockOn(url);
    await now.wait(never);
    await using active = await writerOn(url, now);
    goOn.resolve();
    await failed;
    await addNote(active, 'b');
    await expect(addNote(old, 'late')).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(old.bulk([{ sql: 'insert into notes (name) values (?)', rows: [['late']] }])).rejects.toMatchObject({
      code: 'connection_lost',
    });
    const names = await active.read.selectFrom('notes').select('name').orderBy('name').execute();
    expect(names.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('refuses a writer without the lock', async () => {
    const url = await newDatabase();
    await using one = lockOn(url);
    await expect(writerOn(url, one)).rejects.toMatchObject({ code: 'connection_lost' });
  });
});

describe.skipIf(!isPostgresInstalled)('a node that keeps the lock of the active process', () => {
  it('does not start beside another process', async () => {
    const url = await newDatabase();
    await using one = keeperOn(url);
    await one.start(never);
    await one.announce({ ...one.self, url: 'http://127.0.0.1:1' });
    const clock = new VirtualClock();
    await using second = keeperOn(url, { clock });
    const refused = expect(second.start(never)).rejects.toMatchObject({
      code: 'database_in_use',
      message: expect.stringContaining('http://127.0.0.1:1'),
    });
    let isRefused = false;
    void refused.then(() => {
      isRefused = true;
    });
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(isRefused).toBe(true);
    }, patient);
    await refused;
  });

  it('takes it again after its connection was cut', async () => {
    const url = await newDatabase();
    await using one = keeperOn(url);
    await one.start(never);
    await one.announce({ ...one.self, url: 'http://127.0.0.1:1' });
    const [before] = await holders(url);
    await cut(url);
    await vi.waitFor(async () => {
      const [now] = await holders(url);
      expect(now !== undefined && now !== before && one.isHeld).toBe(true);
    }, patient);
    expect(one.onTaken).not.toHaveBeenCalled();
  });

  it('reports that another process has been active since', async () => {
    const url = await newDatabase();
    await using one = keeperOn(url);
    await one.start(never);
    await using next = await PostgresAdmin.open(url);
    const waiting = next.run(`select pg_advisory_lock(hashtext('lcs'), hashtext('active'))`);
    await vi.waitFor(async () => {
      await using admin = await PostgresAdmin.open(url);
      expect(await admin.rows(`select 1 from pg_locks where not granted`)).toHaveLength(1);
    }, patient);
    await cut(url);
    await waiting;
    await next.run(`update lcs_process.active set process = 'next'`);
    await vi.waitFor(() => expect(one.onTaken).toHaveBeenCalledOnce(), patient);
    expect(one.isHeld).toBe(false);
  });
});
