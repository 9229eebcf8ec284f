import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { type ContractTables, contractMigrations } from '../../testing/contract-schema.ts';
import { isPostgresInstalled, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { openSqlReader, type SqlReader } from '../open-sql-reader.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresSqlReader, startReaderThread } from './postgres-sql-reader.ts';

/** A store with 5,000 samples of series 1, and a reader of it. */
async function filled() {
  const place = { url: (await testPostgres()).url('postgres'), schema: `test_${randomUUID()}` };
  const database = new PostgresDatabase<ContractTables>({
    ...place,
    migrations: contractMigrations,
    clock: realClock(),
    log: new RecordingLog(),
  });
  await database.start(new AbortController().signal);
  const add = (series: number, count: number) =>
    database.bulk([
      {
        sql: 'insert into samples (series, at, value) values (?, ?, ?)',
        rows: Array.from({ length: count }, (_, at) => [series, at, at / 4]),
      },
    ]);
  await add(1, 5_000);
  const reader: SqlReader = openSqlReader(place, { timeoutMs: 5_000 });
  return {
    place,
    reader,
    add,
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await database.stop();
    },
  };
}

const countSql = 'select count(*) as n from samples where series = ?';

describe.skipIf(!isPostgresInstalled)('a synchronous reader of PostgreSQL', () => {
  it('returns rows, one row, and rows as arrays', async () => {
    await using store = await filled();
    const statement = store.reader.prepare('select at, value from samples where series = ? and at < ? order by at');
    expect(statement.all(1, 2)).toEqual([
      { at: 0, value: 0 },
      { at: 1, value: 0.25 },
    ]);
    expect(statement.get(1, 0)).toBeUndefined();
    expect(statement.get(1, 1)).toEqual({ at: 0, value: 0 });
    statement.setReturnArrays(true);
    expect(statement.all(1, 2)).toEqual([
      [0, 0],
      [1, 0.25],
    ]);
  });

  it('sees what was committed before the query; after a begin, what was there then', async () => {
    await using store = await filled();
    const count = store.reader.prepare(countSql);
    await store.add(2, 3);
    expect(count.get(2)).toEqual({ n: 3 });
    store.reader.exec('begin');
    expect(count.get(3)).toEqual({ n: 0 });
    await store.add(3, 3);
    expect(count.get(3)).toEqual({ n: 0 });
  });

  it('iterates over more rows than it holds, several results at a time, and stops half-way', async () => {
    await using store = await filled();
    const statement = store.reader.prepare('select at from samples where series = ? order by at');
    let sum = 0;
    for (const { at } of statement.iterate(1)) {
      sum += Number(at);
      if (at === 2_500) for (const other of statement.iterate(1)) if (other.at === 10) break;
    }
    expect(sum).toBe((4_999 * 5_000) / 2);
    await store.add(1_000, 1);
    expect(store.reader.prepare(countSql).get(1_000)).toEqual({ n: 1 });
  });

  it('fails with the code of the store, and goes on', async () => {
    await using store = await filled();
    const failing = store.reader.prepare('select 1 / (at - at) from samples where series = ?');
    expect(() => failing.all(1)).toThrow(expect.objectContaining({ code: 'query_failed' }));
    expect(() => [...failing.iterate(1)]).toThrow(expect.objectContaining({ code: 'query_failed' }));
    expect(() => store.reader.prepare('delete from samples').all()).toThrow(
      expect.objectContaining({ code: 'read_only' }),
    );
    expect(store.reader.prepare(countSql).get(1)).toEqual({ n: 5_000 });
  });
  it('fails when its thread has ended, and goes on with a new one', async () => {
    await using store = await filled();
    const threads = [new Worker('', { eval: true })];
    const reader = new PostgresSqlReader(store.place, {
      start: (settings) => threads.pop() ?? startReaderThread(settings),
      silenceMs: 3_000,
    });
    const count = reader.prepare(countSql);
    expect(() => count.get(1)).toThrow(expect.objectContaining({ code: 'connection_lost' }));
    expect(count.get(1)).toEqual({ n: 5_000 });
    reader.close();
  });
});
