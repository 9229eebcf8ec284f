import { expect, it } from 'vitest';
import { type ContractTables, contractMigrations } from '../testing/contract-schema.ts';
import { MemoryDatabase } from './memory-database.ts';
import { compiledOnce, queryBuilder } from './query-builder.ts';

const opened = () => new MemoryDatabase<ContractTables>(contractMigrations, 0);

const addNote = (database: MemoryDatabase<ContractTables>, name: string) =>
  database.write((transaction) => transaction.insertInto('notes').values({ name }).execute());

const names = async ({ read }: MemoryDatabase<ContractTables>) =>
  (await read.selectFrom('notes').select('name').orderBy('id').execute()).map(({ name }) => name);

it('keeps what commands write, in the order of the calls', async () => {
  using database = opened();
  const before = database.version;
  await Promise.all(['a', 'b', 'c'].map((name) => addNote(database, name)));
  expect(await names(database)).toEqual(['a', 'b', 'c']);
  expect(database.version).toBeGreaterThan(before);
});

it('runs a query that is compiled once by the value of each run', async () => {
  using database = opened();
  for (const name of ['a', 'b']) await addNote(database, name);
  const named = compiledOnce((name) =>
    queryBuilder<ContractTables>().selectFrom('notes').select('name').where('name', '=', name),
  );
  expect((await named(database.read, 'b')).rows).toEqual([{ name: 'b' }]);
  expect((await named(database.read, 'a')).rows).toEqual([{ name: 'a' }]);
  expect((await named(database.read, 'c')).rows).toEqual([]);
});

it('undoes a command that fails, and passes its error on', async () => {
  using database = opened();
  const failed = database.write(async (transaction) => {
    await transaction.insertInto('notes').values({ name: 'a' }).execute();
    throw new RangeError('not this one');
  });
  await expect(failed).rejects.toThrow(RangeError);
  expect(await names(database)).toEqual([]);
  await addNote(database, 'b');
  await expect(addNote(database, 'b')).rejects.toMatchObject({ code: 'unique_violation' });
  expect(await names(database)).toEqual(['b']);
});

it('runs bulk statements, and those for rows that changed nothing', async () => {
  using database = opened();
  const insert = 'insert into notes (name, body) values (?, ?) on conflict do nothing';
  const otherwise = ['update notes set body = ?2 where name = ?1'];
  const rows = [
    ['a', 'first'],
    ['a', 'second'],
  ];
  await database.bulk([{ sql: insert, rows, otherwise }]);
  expect(await database.read.selectFrom('notes').select(['name', 'body']).execute()).toEqual([
    { name: 'a', body: 'second' },
  ]);
  await expect(database.bulk([{ sql: 'insert into nowhere values (?)', rows: [[1]] }])).rejects.toMatchObject({
    name: 'StoreError',
  });
});
