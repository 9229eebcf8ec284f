import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Generated } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../clock/real-clock.ts';
import { silentLog } from '../../log/log.ts';
import { contractMigrations } from '../../testing/contract-schema.ts';
import { isPostgresInstalled, PostgresAdmin, testPostgres } from '../../testing/postgres-server.ts';
import { temporaryFolder } from '../../testing/test-database.ts';
import { openDatabase } from '../open-database.ts';
import { PostgresConnection } from '../postgres/postgres-connection.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import { reserveStore } from '../postgres/store-use.ts';
import { type MoveEngine, moveStores, type StoresMove } from './move-stores.ts';

const migrations = [
  ...contractMigrations,
  {
    set: 'moved',
    id: 1,
    name: 'children and numbers that are not assigned again',
    up: `
      create table parents (id integer primary key autoincrement, name text not null) strict;
      create table children (parent text not null, at integer not null,
        parent_id integer not null references parents (id), primary key (parent, at)) strict, without rowid;`,
  },
];
const sqlite: MoveEngine = { is: 'sqlite' };

interface Ground {
  readonly to: MoveEngine;
  readonly path: string;
  move(from: MoveEngine, to: MoveEngine, more?: Partial<StoresMove>): ReturnType<typeof moveStores>;
}

/** A file of SQLite and a name in PostgreSQL for one store. */
function ground(folder: string, url: string, file = 'a.sqlite', schema = `moved_${randomUUID()}`): Ground {
  const path = join(folder, file);
  const stores = [{ name: 'store', path, schema, migrations }];
  const rest = { stores, clock: realClock(), log: silentLog(), onProgress: () => {}, onPoint: () => {} };
  return {
    to: { is: 'postgres', url },
    path,
    move: (from, to, more) => moveStores({ from, to, ...rest, ...more }),
  };
}

/** What each type can hold, in more rows than one page. */
function fill(path: string): void {
  const { connection } = openDatabase({ path, migrations, nowMs: 0, onPoint: () => {}, onDamaged: 'fail' });
  connection.exec('begin');
  const sample = connection.prepare('insert into samples (series, at, value) values (?, ?, ?)');
  for (let at = 0; at < 6_000; at += 1) sample.run(at % 3, 1_800_000_000_000 + at, at / 7);
  const thing = connection.prepare('insert into anything (whole, fraction, letters, bytes) values (?, ?, ?, ?)');
  const texts = ['', 'null', 'NULL', '{"a": "b\\n"}', "it's", 'ä 😀 日本', '\\x00', 'a,b', 'tab\tline\n', null];
  for (const text of texts) thing.run(null, null, text, null);
  const numbers = [0, -0, 0.1, -1 / 3, 5e-324, 1.7976931348623157e308, Number.POSITIVE_INFINITY, 1e21, 2 ** 53];
  for (const number of numbers) thing.run(null, number, null, null);
  for (const whole of [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) thing.run(whole, null, null, null);
  for (const bytes of [[], [0], [0, 255, 34, 92, 123], [92, 120]]) thing.run(null, null, null, Uint8Array.from(bytes));
  connection.exec(`
    insert into notes (id, name) values (7, 'seven');
    insert into parents (id, name) values (1, 'B'), (2, 'a'), (9, 'deleted');
    delete from parents where id = 9;
    insert into children (parent, at, parent_id) values ('B', 1, 1), ('a', 1, 2), ('a', -5, 2), ('ä', 0, 1);
    commit`);
  connection.close();
}

/** Everything in a file but the times of its migrations. */
function contentOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = ['samples', 'anything', 'notes', 'parents', 'children', 'sqlite_sequence'];
  try {
    return tables.map((table) => database.prepare(`select * from ${table} order by 1, 2`).all());
  } finally {
    database.close();
  }
}

describe.skipIf(!isPostgresInstalled)('moving a store', () => {
  let url = '';
  beforeAll(async () => {
    url = (await testPostgres()).url('postgres');
  });

  it('keeps each value, each row and the assigned numbers there and back', async () => {
    await using folder = await temporaryFolder();
    const schema = `moved_${randomUUID()}`;
    const { path, move, to } = ground(folder.path, url, 'a.sqlite', schema);
    fill(path);
    const there = await move(sqlite, to);
    expect(there).toMatchObject([
      {
        name: 'store',
        tables: expect.arrayContaining([
          { name: 'samples', rows: 6_000, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ]),
      },
    ]);
    // SQLite would store it as 0.0.
    await using admin = await PostgresAdmin.open(url);
    await admin.run(`update "${schema}".anything set fraction = '-0' where fraction = 0`);
    const back = ground(folder.path, url, 'b.sqlite', schema);
    expect(await back.move(to, sqlite)).toEqual(there);
    expect(contentOf(back.path)).toEqual(contentOf(path));
    const database = new PostgresDatabase<{ parents: { id: Generated<number>; name: string } }>({
      url,
      schema,
      migrations,
      clock: realClock(),
      log: silentLog(),
    });
    await database.start(new AbortController().signal);
    const added = await database.write((transaction) =>
      transaction.insertInto('parents').values({ name: 'next' }).returning('id').executeTakeFirst(),
    );
    await database.stop();
    expect(added).toEqual({ id: 10 });
  });

  it.each(['there', 'back'])('continues after an interruption on the way %s, and has the same result', async (way) => {
    await using folder = await temporaryFolder();
    const schema = `moved_${randomUUID()}`;
    const first = ground(folder.path, url, 'a.sqlite', schema);
    fill(first.path);
    if (way === 'back') await first.move(sqlite, first.to);
    const { path, move, to } = way === 'back' ? ground(folder.path, url, 'b.sqlite', schema) : first;
    const [source, target] = way === 'back' ? [to, sqlite] : [sqlite, to];
    let pages = 0;
    const stopAt = (page: number) => () => {
      pages += 1;
      if (pages === page) throw new Error('interrupted');
    };
    await expect(move(source, target, { onPoint: stopAt(3) })).rejects.toThrow('interrupted');
    if (way === 'back') expect(existsSync(path)).toBe(false);
    let copied = 0;
    const reports = await move(source, target, {
      onPoint: (point) => {
        copied += point === 'move.page_done' ? 1 : 0;
      },
    });
    expect(copied).toBeLessThan(6);
    expect(reports[0]?.tables.find(({ name }) => name === 'samples')?.rows).toBe(6_000);
    if (way === 'back') expect(contentOf(path)).toEqual(contentOf(first.path));
  });

  it('finds a row that is not the same in the target, and does not finish', async () => {
    await using folder = await temporaryFolder();
    const schema = `moved_${randomUUID()}`;
    const { path, move, to } = ground(folder.path, url, 'a.sqlite', schema);
    fill(path);
    await using admin = await PostgresAdmin.open(url);
    const corrupted = move(sqlite, to, {
      onPoint: (point) => {
        if (point === 'move.copied') throw new Error('interrupted');
      },
    });
    await expect(corrupted).rejects.toThrow('interrupted');
    await admin.run(`update "${schema}_moving".samples set value = value + 1e-12 where at = 1800000000123`);
    await expect(move(sqlite, to)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringMatching(/samples.*6000 rows.*6000 rows/),
    });
    await admin.run(
      `update "${schema}_moving".samples set series = 8 where at = (select max(at) from "${schema}_moving".samples)`,
    );
    await expect(move(sqlite, to)).rejects.toMatchObject({ name: 'MoveRefused' });
    await expect(ground(folder.path, url, 'b.sqlite', schema).move(to, sqlite)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('no store'),
    });
  });

  it('names the row with a character that PostgreSQL cannot store, and what is no database', async () => {
    await using folder = await temporaryFolder();
    const { path, move, to } = ground(folder.path, url);
    fill(path);
    const database = new DatabaseSync(path);
    database.exec("insert into notes (id, name) values (8, 'a' || char(0) || 'b')");
    database.close();
    await expect(move(sqlite, to)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringMatching(/notes.*\[8\]/),
    });
    const other = ground(folder.path, url, 'no-database.sqlite');
    await writeFile(other.path, 'x'.repeat(1_000));
    await expect(other.move(sqlite, other.to)).rejects.toMatchObject({ name: 'StoreError', code: 'damaged' });
  });

  it('refuses a target with data, a source in use and a source of another version', async () => {
    await using folder = await temporaryFolder();
    const schema = `moved_${randomUUID()}`;
    const { path, move, to } = ground(folder.path, url, 'a.sqlite', schema);
    fill(path);
    await move(sqlite, to);
    await expect(move(sqlite, to)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('has data'),
    });
    await expect(move(to, sqlite)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('has data'),
    });
    const other = [{ name: 'store', path, schema: `moved_${randomUUID()}`, migrations: contractMigrations }];
    await expect(move(sqlite, to, { stores: other })).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('newer'),
    });
    const later = [
      ...migrations,
      { set: 'moved', id: 2, name: 'later', up: 'create table later (id integer primary key) strict' },
    ];
    const older = [{ name: 'store', path, schema: `moved_${randomUUID()}`, migrations: later }];
    await expect(move(sqlite, to, { stores: older })).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('older'),
    });
    const database = new PostgresDatabase<object>({ url, schema, migrations, clock: realClock(), log: silentLog() });
    await database.start(new AbortController().signal);
    const back = ground(folder.path, url, 'b.sqlite', schema);
    await expect(back.move(to, sqlite)).rejects.toMatchObject({
      name: 'MoveRefused',
      message: expect.stringContaining('leader'),
    });
    await database.stop();
    const mover = await PostgresConnection.open({ url, schema, readOnly: false });
    expect(await reserveStore(mover, schema)).toBe(true);
    await expect(database.start(new AbortController().signal)).rejects.toMatchObject({ code: 'busy' });
    mover.close();
  });
});
