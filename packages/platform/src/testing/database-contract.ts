import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import type { ContractTables } from './contract-schema.ts';

export type ContractDatabase = Database<ContractTables> & AsyncDisposable;

const insertSample = 'insert into samples (series, at, value) values (?, ?, ?)';

/** `count` rows of one series, from 0 ms on. */
const sampleRows = (series: number, count: number) => Array.from({ length: count }, (_, at) => [series, at, at / 4]);

const countSamples = async ({ read }: ContractDatabase, series: number) => {
  const { total } = await read
    .selectFrom('samples')
    .where('series', '=', series)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
};

const names = async ({ read }: ContractDatabase) =>
  (await read.selectFrom('notes').select('name').orderBy('id').execute()).map(({ name }) => name);

const addNote = (database: ContractDatabase, name: string) =>
  database.write((transaction) => transaction.insertInto('notes').values({ name }).execute());

/** The contract of every `Database`; `make` returns a new one with the schema of `contractMigrations`. */
export const databaseContract = (make: () => Promise<ContractDatabase>): void => {
  describe('commands', () => {
    it('shows a change to the next read, and counts it, as soon as the write is answered', async () => {
      await using database = await make();
      const before = database.version;
      const id = await database.write(async (transaction) => {
        const row = await transaction
          .insertInto('notes')
          .values({ name: 'a' })
          .returning('id')
          .executeTakeFirstOrThrow();
        return row.id;
      });
      expect(database.version).toBeGreaterThan(before);
      expect(await database.read.selectFrom('notes').selectAll().execute()).toEqual([{ id, name: 'a', body: null }]);
    });

    it('finds nothing in an empty list, and everything outside it', async () => {
      await using database = await make();
      await addNote(database, 'a');
      await addNote(database, 'b');
      const namesOf = async (operator: 'in' | 'not in', column: 'name' | 'body') =>
        (
          await database.read.selectFrom('notes').select('name').where(column, operator, []).orderBy('id').execute()
        ).map(({ name }) => name);
      expect([await namesOf('in', 'name'), await namesOf('not in', 'name')]).toEqual([[], ['a', 'b']]);
      expect([await namesOf('in', 'body'), await namesOf('not in', 'body')]).toEqual([[], ['a', 'b']]);
    });

    it('returns the number of rows of an update and a delete', async () => {
      await using database = await make();
      await addNote(database, 'a');
      await addNote(database, 'b');
      const [updated] = await database.write((transaction) =>
        transaction.updateTable('notes').set({ body: 'x' }).execute(),
      );
      expect(updated?.numUpdatedRows).toBe(2n);
      const [deleted] = await database.write((transaction) =>
        transaction.deleteFrom('notes').where('name', '=', 'a').execute(),
      );
      expect(deleted?.numDeletedRows).toBe(1n);
    });

    it('reads its own changes inside the transaction, which no other reader sees before the commit', async () => {
      await using database = await make();
      await database.write(async (transaction) => {
        await transaction.insertInto('notes').values({ name: 'a' }).execute();
        expect(await transaction.selectFrom('notes').select('name').execute()).toEqual([{ name: 'a' }]);
        expect(await names(database)).toEqual([]);
      });
      expect(await names(database)).toEqual(['a']);
    });

    it('changes nothing when the work throws, and rejects with its error', async () => {
      await using database = await make();
      const failure = new Error('changed my mind');
      const work = database.write(async (transaction) => {
        await transaction.insertInto('notes').values({ name: 'a' }).execute();
        throw failure;
      });
      await expect(work).rejects.toBe(failure);
      expect(await names(database)).toEqual([]);
      await addNote(database, 'b');
      expect(await names(database)).toEqual(['b']);
    });

    it('runs one at a time, in the order of the calls', async () => {
      await using database = await make();
      const events: string[] = [];
      const work = (name: string) =>
        database.write(async (transaction) => {
          events.push(`${name} begins`);
          await transaction.insertInto('notes').values({ name }).execute();
          await transaction.selectFrom('notes').selectAll().execute();
          events.push(`${name} ends`);
        });
      await Promise.all([work('a'), work('b'), work('c')]);
      expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    });

    it('lets the work go on after a statement that was refused', async () => {
      await using database = await make();
      await addNote(database, 'a');
      await database.write(async (transaction) => {
        await expect(transaction.insertInto('notes').values({ name: 'a' }).execute()).rejects.toMatchObject({
          name: 'StoreError',
          code: 'unique_violation',
        });
        await transaction.insertInto('notes').values({ name: 'b' }).execute();
      });
      expect(await names(database)).toEqual(['a', 'b']);
    });

    it('refuses queries after the transaction has ended', async () => {
      await using database = await make();
      const kept = await database.write((transaction) => Promise.resolve([transaction]));
      await expect(kept[0]?.insertInto('notes').values({ name: 'a' }).execute()).rejects.toMatchObject({
        code: 'transaction_ended',
      });
      expect(await names(database)).toEqual([]);
    });

    it('begins no transaction by way of `read`, and lets nothing be written there', async () => {
      await using database = await make();
      const transaction = database.read.transaction().execute(() => Promise.resolve());
      await expect(transaction).rejects.toMatchObject({ code: 'unsupported' });
      await expect(database.read.insertInto('notes').values({ name: 'a' }).execute()).rejects.toMatchObject({
        code: 'read_only',
      });
    });
  });

  describe('samples', () => {
    it('are all there when the call is answered, and counted', async () => {
      await using database = await make();
      const before = database.version;
      await database.bulk([{ sql: insertSample, rows: sampleRows(1, 1_000) }]);
      expect(await countSamples(database, 1)).toBe(1_000);
      expect(database.version).toBeGreaterThan(before);
    });

    it('go in as one call or not at all, and take no other call with them', async () => {
      await using database = await make();
      const twice = [...sampleRows(2, 50), [2, 7, 0]];
      const outcomes = await Promise.allSettled([
        database.bulk([{ sql: insertSample, rows: sampleRows(1, 50) }]),
        database.bulk([
          { sql: insertSample, rows: sampleRows(4, 5) },
          { sql: insertSample, rows: twice },
        ]),
        database.bulk([{ sql: insertSample, rows: sampleRows(3, 50) }]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(outcomes[1]).toMatchObject({ reason: { code: 'unique_violation' } });
      expect(await Promise.all([1, 2, 3, 4].map((series) => countSamples(database, series)))).toEqual([50, 0, 50, 0]);
    });

    it('go in in the order of the calls', async () => {
      await using database = await make();
      const put = (value: number) =>
        database.bulk([
          {
            sql: 'insert into anything (id, whole) values (1, ?) on conflict (id) do update set whole = excluded.whole',
            rows: [[value]],
          },
        ]);
      await Promise.all([put(1), put(2), put(3)]);
      expect(await database.read.selectFrom('anything').select('whole').execute()).toEqual([{ whole: 3 }]);
    });

    it('let commands pass while 10,000 rows are written, and lose none', async () => {
      await using database = await make();
      const answered: string[] = [];
      const bulk = (series: number) =>
        database
          .bulk([{ sql: insertSample, rows: sampleRows(series, 10_000) }], { isDivisible: true })
          .then(() => answered.push('samples'));
      const bulks = [bulk(1), bulk(2), bulk(3), bulk(4), bulk(5)];
      const commands = Array.from({ length: 20 }, async (_, index) => {
        await addNote(database, `note ${index}`);
        answered.push('command');
      });
      await Promise.all([...bulks, ...commands]);
      expect(answered.lastIndexOf('command')).toBeLessThan(answered.lastIndexOf('samples'));
      expect(await names(database)).toHaveLength(20);
      for (const series of [1, 2, 3, 4, 5]) expect(await countSamples(database, series)).toBe(10_000);
    });
  });

  describe('values', () => {
    const store = (database: ContractDatabase, values: Partial<ContractTables['anything']>) =>
      database.write((transaction) =>
        transaction
          .insertInto('anything')
          .values({ id: 1, whole: null, fraction: null, letters: null, bytes: null, ...values })
          .execute(),
      );

    const columnFor = (value: string | number | null) => {
      if (typeof value === 'string') return 'letters';
      return Number.isSafeInteger(value) ? 'whole' : 'fraction';
    };

    it.each([0, -1, 1_767_225_600_000, Number.MAX_SAFE_INTEGER, 0.1, -1e300, 'text', '', null])(
      'come back as they went in: %s',
      async (value) => {
        await using database = await make();
        const column = columnFor(value);
        await store(database, { [column]: value });
        const row = await database.read.selectFrom('anything').select(column).executeTakeFirstOrThrow();
        expect(row).toEqual({ [column]: value });
      },
    );

    it('come back as bytes when they were bytes', async () => {
      await using database = await make();
      await store(database, { bytes: new Uint8Array([0, 1, 255]) });
      const row = await database.read.selectFrom('anything').select('bytes').executeTakeFirstOrThrow();
      expect(row.bytes).toEqual(new Uint8Array([0, 1, 255]));
    });

    it('fail when a whole number is too large for a JavaScript number, instead of being rounded', async () => {
      await using database = await make();
      await store(database, { whole: 9_007_199_254_740_993n });
      const found = database.read.selectFrom('anything').selectAll().execute();
      await expect(found).rejects.toMatchObject({ code: 'number_too_large' });
    });

    it.each([
      ['a boolean', true],
      ['undefined', undefined],
      ['a date', new Date(0)],
      ['NaN', Number.NaN],
    ])('are refused when they have no meaning in SQL: %s', async (_, value) => {
      await using database = await make();
      const write = database.write((transaction) =>
        sql`insert into anything (id, letters) values (1, ${value})`.execute(transaction),
      );
      await expect(write).rejects.toMatchObject({ code: 'value_refused' });
      const read = sql`select ${value}`.execute(database.read);
      await expect(read).rejects.toMatchObject({ code: 'value_refused' });
    });

    it('are refused in the sample lane as well', async () => {
      await using database = await make();
      const rows = JSON.parse('[[1, true]]');
      const bulk = database.bulk([{ sql: 'insert into anything (id, whole) values (?, ?)', rows }]);
      await expect(bulk).rejects.toMatchObject({ code: 'value_refused' });
    });
  });
};
