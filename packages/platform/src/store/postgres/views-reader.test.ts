import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { type ContractTables, contractMigrations } from '../../testing/contract-schema.ts';
import { isPostgresInstalled, testPostgres } from '../../testing/postgres-server.ts';
import { RecordingLog } from '../../testing/test-database.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresSqlReader } from './postgres-sql-reader.ts';
import { ViewsReader } from './views-reader.ts';

/** A store with samples 0 to 3 of series 1 and a view of them, and a reader. */
async function filled(statementLimitMs = 60_000) {
  const place = { url: (await testPostgres()).url('postgres'), schema: `test_${randomUUID()}` };
  const open = async (column: string) => {
    const database = new PostgresDatabase<ContractTables>({
      ...place,
      migrations: contractMigrations,
      views: (store) => `create view readings as select at, value as ${column} from ${store}.samples;`,
      clock: realClock(),
      log: new RecordingLog(),
      readers: 1,
    });
    await database.start(new AbortController().signal);
    return database;
  };
  const database = await open('reading');
  await database.bulk([
    {
      sql: 'insert into samples (series, at, value) values (?, ?, ?)',
      rows: [0, 1, 2, 3].map((at) => [1, at, at / 4]),
    },
  ]);
  const reader = ViewsReader.open({ ...place, statementLimitMs });
  return {
    place,
    reader,
    open,
    ask: (query: string) => reader.prepareForeign(query, (relation) => `select * from ${relation} T`).all(),
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await database.stop();
    },
  };
}

const failed = expect.objectContaining({ code: 'query_failed' });

describe.skipIf(!isPostgresInstalled)('a reader of the public views', () => {
  it('reads views by their names, and tables of the store as those of main', async () => {
    await using store = await filled();
    expect(store.ask('select at, reading from readings order by at limit 1')).toEqual([{ at: 0, reading: 0 }]);
    expect(store.reader.database.prepare('select count(*) as n from main.samples').get()).toEqual({ n: 4 });
    expect(() => store.ask('select * from samples')).toThrow(failed);
    expect(() => store.ask(`select * from "${store.place.schema}".samples`)).toThrow(failed);
  });

  it('goes on in its snapshot after a query that is not valid, or that fails while it is read', async () => {
    await using store = await filled();
    expect(() => store.ask('select nothing from readings')).toThrow(failed);
    const dividing = store.reader.prepareForeign(
      'select 1 / (at - 3) as x from readings order by at',
      (relation) => relation,
    );
    expect(() => [...dividing.iterate()]).toThrow(failed);
    const writer = new PostgresSqlReader({ ...store.place, readOnly: false });
    writer.prepare('insert into samples (series, at, value) values (1, 4, 1)').all();
    writer.close();
    expect(store.ask('select count(*) as n from readings')).toEqual([{ n: 4 }]);
  });

  it('names the columns without reading a row, also equal ones, and returns whole numbers as asked', async () => {
    await using store = await filled();
    const statement = store.reader.prepareForeign(
      'select at, at, reading, 1.50 as a, 2 = 2 as b from readings',
      (q) => q,
    );
    expect(statement.columns().map(({ name }) => name)).toEqual(['at', 'at', 'reading', 'a', 'b']);
    statement.setReturnArrays(true);
    expect(statement.get()).toEqual([0, 0, 0, 1.5, 1]);
    statement.setReadBigInts(true);
    expect([...statement.iterate()][2]).toEqual([2n, 2n, 0.5, 1.5, 1n]);
  });

  it('refuses a row that is too large', async () => {
    await using store = await filled();
    const doubled = Array.from(
      { length: 25 },
      (_, n) => `, x${n + 1} as materialized (select v || v as v from x${n})`,
    ).join('');
    expect(() => store.ask(`with x0 as (select 'a' as v)${doubled} select v from x25`)).toThrow(failed);
    const hidden = `with x0 as (select 'a' as v)${doubled} select 1 as foreign_rows, v from x25`;
    expect(() => store.ask(hidden)).toThrow(failed);
  });

  it('ends a statement at its time limit, and goes on', async () => {
    await using store = await filled(200);
    const many = Array.from({ length: 14 }, (_, n) => `readings r${n}`).join(', ');
    expect(() => store.ask(`select count(*) from ${many}`)).toThrow(failed);
    expect(store.ask('select count(*) as n from readings')).toEqual([{ n: 4 }]);
  });

  it('finds the views in their present form after a start with others', async () => {
    await using store = await filled();
    const other = await store.open('amount');
    await other.stop();
    const reader = ViewsReader.open({ ...store.place, statementLimitMs: 60_000 });
    expect(reader.prepareForeign('select amount from readings', (q) => `select * from ${q} T`).all()).toHaveLength(4);
    reader.close();
  });
});
