import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { type ContractTables, contractMigrations } from '../testing/contract-schema.ts';
import { databaseContract } from '../testing/database-contract.ts';
import { RecordingLog, startedDatabase, type TestDatabaseOptions, temporaryFolder } from '../testing/test-database.ts';
import { explain } from './explain.ts';
import type { StoreError } from './store-error.ts';
import { WriterHost } from './writer-host.ts';

const started = (options: Partial<TestDatabaseOptions> & { path: string }) =>
  startedDatabase<ContractTables>({ migrations: contractMigrations, ...options });

describe('a Database on node:sqlite', () => {
  databaseContract(async () => {
    const folder = await temporaryFolder();
    const database = await started({ path: folder.file('store.sqlite') });
    return Object.assign(database, {
      [Symbol.asyncDispose]: async () => {
        await database.stop();
        await folder[Symbol.asyncDispose]();
      },
    });
  });
});

describe('the durability of a write', () => {
  it('is full for every command, the first one too and the one after samples', async () => {
    await using folder = await temporaryFolder();
    await using database = await started({ path: folder.file('store.sqlite') });
    const inForce = async () => {
      const { rows } = await database.write((transaction) => sql`pragma synchronous`.execute(transaction));
      return rows;
    };
    expect(await inForce()).toEqual([{ synchronous: 2 }]);
    await database.bulk([{ sql: 'insert into notes (name) values (?)', rows: [['sample']] }]);
    expect(await inForce()).toEqual([{ synchronous: 2 }]);
  });
});

describe('the time limit of a command', () => {
  it('undoes a write that lasts too long, refuses its later queries and begins the next command', async () => {
    await using folder = await temporaryFolder();
    const clock = new VirtualClock();
    await using database = await started({ path: folder.file('store.sqlite'), clock });
    const inserted = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const slow = database.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'slow' }).execute();
      inserted.resolve();
      await goOn.promise;
      await transaction.insertInto('notes').values({ name: 'late' }).execute().catch(late.resolve);
    });
    const next = database.write((transaction) => transaction.insertInto('notes').values({ name: 'next' }).execute());
    const outcome = expect(slow).rejects.toMatchObject({ code: 'write_time_limit' });
    await inserted.promise;
    await clock.advance(5_000);
    await outcome;
    goOn.resolve();
    expect(await late.promise).toMatchObject({ code: 'write_time_limit' });
    await next;
    expect(await database.read.selectFrom('notes').select('name').execute()).toEqual([{ name: 'next' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends a writer that is stuck in a query', async () => {
    await using folder = await temporaryFolder();
    const clock = new VirtualClock();
    const fatal: StoreError[] = [];
    const writer = new WriterHost();
    await writer.start();
    onTestFinished(() => void writer.stop());
    await using database = await started({
      path: folder.file('store.sqlite'),
      clock,
      writer,
      onFatal: (error) => fatal.push(error),
    });
    const asked = Promise.withResolvers<void>();
    const stuck = database.write((transaction) => {
      const query = transaction
        .withRecursive('n(i)', (q) =>
          q
            .selectNoFrom(({ lit }) => lit(1).as('i'))
            .unionAll(
              q
                .selectFrom('n')
                .select(({ eb }) => eb('i', '+', 1).as('i'))
                .where('i', '<', 2_000_000),
            ),
        )
        .selectFrom('n')
        .select(({ fn }) => fn.max('i').as('max'))
        .execute();
      asked.resolve();
      return query;
    });
    const next = database.write((transaction) => transaction.selectFrom('notes').selectAll().execute());
    const outcomes = Promise.allSettled([stuck, next]);
    await asked.promise;
    await clock.advance(5_000);
    await clock.advance(5_000);
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'write_time_limit' } },
      { status: 'rejected', reason: { code: 'writer_lost' } },
    ]);
    expect(fatal).toMatchObject([{ code: 'writer_lost' }]);
  });
});

describe('a writer that is lost', () => {
  it('rejects waiting and later calls, and logs it once', async () => {
    await using folder = await temporaryFolder();
    const fatal: StoreError[] = [];
    const crashAt = { point: 'write.before_commit', afterHits: 2, how: 'exit' } as const;
    await using database = await started({
      path: folder.file('store.sqlite'),
      crashAt,
      onFatal: (error) => fatal.push(error),
    });
    const add = (name: string) =>
      database.write((transaction) => transaction.insertInto('notes').values({ name }).execute());
    await add('kept');
    const outcomes = await Promise.allSettled([
      add('lost'),
      add('queued'),
      database.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows: [[1, 1, 1]] }]),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'writer_lost' } });
    await expect(add('later')).rejects.toMatchObject({ code: 'writer_lost' });
    expect(fatal).toHaveLength(1);
    expect(await database.read.selectFrom('notes').select('name').execute()).toEqual([{ name: 'kept' }]);
  });
});

describe('a transaction that SQLite undoes by itself', () => {
  const clash = "insert or rollback into notes (name) values ('a')";

  it('rejects the command even when its work ignores that, and blocks no other', async () => {
    await using folder = await temporaryFolder();
    await using database = await started({ path: folder.file('store.sqlite') });
    await database.write((transaction) => transaction.insertInto('notes').values({ name: 'a' }).execute());
    const overlooked = database.write(async (transaction) => {
      await transaction.insertInto('notes').values({ name: 'b' }).execute();
      await expect(sql.raw(clash).execute(transaction)).rejects.toMatchObject({ code: 'unique_violation' });
      await expect(transaction.insertInto('notes').values({ name: 'c' }).execute()).rejects.toMatchObject({
        code: 'transaction_rolled_back',
      });
    });
    await expect(overlooked).rejects.toMatchObject({ code: 'transaction_rolled_back' });
    await database.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows: [[1, 1, 1]] }]);
    expect(await database.read.selectFrom('notes').select('name').execute()).toEqual([{ name: 'a' }]);
  });

  it('rejects every call to the sample lane that it had taken in', async () => {
    await using folder = await temporaryFolder();
    await using database = await started({ path: folder.file('store.sqlite') });
    await database.write((transaction) => transaction.insertInto('notes').values({ name: 'a' }).execute());
    const outcomes = await Promise.allSettled([
      database.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows: [[1, 1, 1]] }]),
      database.bulk([{ sql: clash, rows: [[]] }]),
    ]);
    const stored = await database.read.selectFrom('samples').selectAll().execute();
    expect(outcomes[1]).toMatchObject({ status: 'rejected' });
    expect(stored).toHaveLength(outcomes[0]?.status === 'fulfilled' ? 1 : 0);
    await database.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows: [[2, 1, 1]] }]);
  });
});

describe('life of the store', () => {
  it('finishes what was called before it stops, and refuses what comes after', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const first = await started({ path });
    const pending = Promise.all([
      first.write((transaction) => transaction.insertInto('notes').values({ name: 'a' }).execute()),
      first.write((transaction) => transaction.insertInto('notes').values({ name: 'b' }).execute()),
      first.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows: [[1, 1, 1]] }]),
    ]);
    await first.stop();
    await pending;
    const after = first.write(() => Promise.resolve());
    await expect(after).rejects.toMatchObject({ code: 'not_running' });
    await expect(first.read.selectFrom('notes').selectAll().execute()).rejects.toMatchObject({ code: 'not_running' });
    expect(await readdir(folder.path)).toEqual(['store.sqlite']);
    await using second = await started({ path });
    expect(await second.read.selectFrom('notes').select('name').execute()).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(await second.read.selectFrom('samples').selectAll().execute()).toHaveLength(1);
  });

  it('holds virtual time while a call is open', async () => {
    await using folder = await temporaryFolder();
    const holds = new VirtualClock();
    await using database = await started({ path: folder.file('store.sqlite'), holds });
    const write = database.write(() => Promise.resolve());
    const bulk = database.bulk([]);
    expect(holds.openHolds).toEqual(['a store call', 'a store call']);
    await Promise.all([write, bulk]);
    expect(holds.openHolds).toEqual([]);
  });

  it('shows the plan of a query', async () => {
    await using folder = await temporaryFolder();
    await using database = await started({ path: folder.file('store.sqlite') });
    const byName = database.read.selectFrom('notes').selectAll().where('name', '=', 'a');
    expect(await explain(database.read, byName)).toEqual([expect.stringContaining('USING INDEX')]);
    expect(await explain(database.read, 'select * from notes')).toEqual(['SCAN notes']);
  });
});

describe('a damaged database', () => {
  const notOurs = 'this was never a database, but it is longer than the header of one: '.repeat(3);

  it('stops the start with a sentence that names the file, and is left as it is', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await writeFile(path, notOurs);
    await expect(started({ path })).rejects.toMatchObject({
      code: 'database_damaged',
      message: expect.stringContaining(path),
    });
    expect(await readdir(folder.path)).toEqual(['store.sqlite']);
  });

  it('is moved aside on request, and its new path is logged', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await writeFile(path, notOurs);
    const log = new RecordingLog();
    await using database = await started({ path, log, onDamaged: 'set-aside' });
    expect(await database.read.selectFrom('notes').selectAll().execute()).toEqual([]);
    const [line] = log.lines.filter(({ level }) => level === 'error');
    const setAside = String(line?.fields.setAside);
    expect(setAside).toContain('store.sqlite.damaged-');
    expect(existsSync(setAside)).toBe(true);
  });

  it('is found by the integrity check when only a page inside is damaged', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const first = await started({ path });
    const rows = Array.from({ length: 2_000 }, (_, at) => [1, at, 0.5]);
    await first.bulk([{ sql: 'insert into samples values (?, ?, ?)', rows }]);
    expect(await first.integrityCheck()).toEqual([]);
    await first.stop();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(2_000, 0x55), 0, 2_000, 4_096 * 6);
    closeSync(file);
    await using second = await started({ path });
    expect((await second.integrityCheck()).length).toBeGreaterThan(0);
  });

  it('is not confused with a folder that cannot be written to', async () => {
    await using folder = await temporaryFolder();
    await expect(started({ path: folder.file('missing/store.sqlite') })).rejects.toMatchObject({
      code: 'database_unopenable',
    });
  });
});
