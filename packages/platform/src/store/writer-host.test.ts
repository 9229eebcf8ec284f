import { writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { memoryLog } from '../log/memory-log.ts';
import { temporaryFolder } from '../testing/test-database.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import type { StoreError } from './store-error.ts';
import { WriterHost } from './writer-host.ts';

interface Tables {
  numbers: { n: number };
}

const migrations = [
  { set: 'test', id: 1, name: 'numbers', up: 'create table numbers (n integer primary key) strict;' },
];
const signal = new AbortController().signal;
const many = (from: number) => Array.from({ length: 20_000 }, (_, row) => [from + row]);

async function world() {
  const folder = await temporaryFolder();
  const host = new WriterHost();
  await host.start();
  const lost: string[] = [];
  const open = async (name: string, options: { readonly crashPoint?: string; readonly clock?: Clock } = {}) => {
    const database = new SqliteDatabase<Tables>({
      path: folder.file(name),
      migrations,
      clock: options.clock ?? realClock(),
      log: memoryLog(),
      writer: host,
      onFatal: (error: StoreError) => lost.push(`${name} ${error.code}`),
      ...(options.crashPoint && { crashAt: { point: options.crashPoint, afterHits: 1, how: 'exit' as const } }),
    });
    await database.start(signal);
    return database;
  };
  const put = (database: SqliteDatabase<Tables>, n: number) =>
    database.write(async (transaction) => {
      await transaction.insertInto('numbers').values({ n }).execute();
    });
  const numbers = async (database: SqliteDatabase<Tables>) =>
    (await database.read.selectFrom('numbers').selectAll().execute()).map(({ n }) => n);
  return {
    open,
    put,
    numbers,
    lost,
    folder,
    host,
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('one thread that writes many databases', () => {
  it('keeps commands and samples of each apart', async () => {
    await using w = await world();
    const files = await Promise.all(Array.from({ length: 20 }, (_, index) => w.open(`${index}.sqlite`)));
    await Promise.all(
      files.map(async (file, index) => {
        const insert = 'insert into numbers (n) values (?)';
        const rows = Array.from({ length: 200 }, (_, row) => [1_000 + row]);
        await Promise.all([w.put(file, index), file.bulk([{ sql: insert, rows }]), w.put(file, index + 100)]);
      }),
    );
    for (const [index, file] of files.entries()) {
      const numbers = await w.numbers(file);
      expect(numbers).toHaveLength(202);
      expect(numbers.slice(0, 2)).toEqual([index, index + 100]);
      await file.stop();
    }
    expect(w.lost).toEqual([]);
  });

  it('continues with the others when one cannot be opened, fails or is closed', async () => {
    await using w = await world();
    const first = await w.open('first.sqlite');
    await writeFile(w.folder.file('damaged.sqlite'), 'this is no database '.repeat(10));
    await expect(w.open('damaged.sqlite')).rejects.toMatchObject({ code: 'database_damaged' });
    const second = await w.open('second.sqlite');
    await w.put(second, 1);
    await expect(w.put(second, 1)).rejects.toMatchObject({ code: 'unique_violation' });
    await second.stop();
    await w.put(first, 7);
    expect(await w.numbers(first)).toEqual([7]);
    await first.stop();
  });

  it('ends one that is stuck, and continues with the others', async () => {
    await using w = await world();
    const clock = new VirtualClock();
    const stuck = await w.open('stuck.sqlite', { clock });
    const other = await w.open('other.sqlite');
    const asked = Promise.withResolvers<void>();
    const outcomes = Promise.allSettled([
      stuck.write((transaction) => {
        const endless = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000000)
          select max(i) from n`.execute(transaction);
        asked.resolve();
        return endless;
      }),
      // Some of it is still to be done when the file is closed.
      ...[1, 2, 3].map((lot) => stuck.bulk([{ sql: 'insert into numbers (n) values (?)', rows: many(lot * 100_000) }])),
    ]);
    await asked.promise;
    for (const _ of ['its time', 'the time to undo it']) await clock.advance(5_000);
    await w.put(other, 1);
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'write_time_limit' } },
      ...[1, 2, 3].map(() => ({ status: 'rejected', reason: { code: 'writer_lost' } })),
    ]);
    await w.put(other, 2);
    expect(await w.numbers(other)).toEqual([1, 2]);
    await expect(w.put(stuck, 1)).rejects.toMatchObject({ code: 'writer_lost' });
    expect(w.lost).toEqual(['stuck.sqlite writer_lost']);
    await other.stop();
  });

  it('ends all its databases with itself, and each reports it', async () => {
    await using w = await world();
    const first = await w.open('first.sqlite', { crashPoint: 'write.before_commit' });
    const second = await w.open('second.sqlite');
    await expect(w.put(first, 1)).rejects.toMatchObject({ code: 'writer_lost' });
    await expect(w.put(second, 1)).rejects.toMatchObject({ code: 'writer_lost' });
    expect(w.lost.sort()).toEqual(['first.sqlite writer_lost', 'second.sqlite writer_lost']);
  });
});
