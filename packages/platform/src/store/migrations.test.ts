import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { RecordingLog, startedDatabase, temporaryFolder } from '../testing/test-database.ts';
import { type Migration, pendingMigrations } from './migrations.ts';

interface Tables {
  birds: { id: number; name: string };
}

const one: Migration = {
  set: 'birds',
  id: 1,
  name: 'birds',
  up: 'create table birds (id integer primary key, name text not null) strict',
};
const two: Migration = {
  set: 'birds',
  id: 2,
  name: 'names by index',
  up: 'create index birds_by_name on birds (name)',
};
const other: Migration = {
  set: 'nests',
  id: 1,
  name: 'nests',
  up: 'create table nests (id integer primary key) strict',
};

const run = async (path: string, migrations: readonly Migration[], options = {}) => {
  const database = await startedDatabase<Tables>({ path, migrations, ...options });
  await database.stop();
};

const backupsIn = async (folder: string) => (await readdir(folder)).filter((name) => name.includes('.before-')).sort();

describe('the list of migrations', () => {
  it('must be numbered without gaps in each set', () => {
    expect(() => pendingMigrations([one, other, two], [])).not.toThrow();
    for (const wrong of [[two], [one, one], [two, one]]) {
      expect(() => pendingMigrations(wrong, [])).toThrow(expect.objectContaining({ code: 'migrations_invalid' }));
    }
  });
});

describe('starting a database', () => {
  it('applies each step once, in the order given, and makes no backup of an empty file', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const log = new RecordingLog();
    await run(path, [one, two, other], { log });
    await run(path, [one, two, other], { log });
    const done = log.lines.filter(({ message }) => message === 'Migration done');
    expect(done.map(({ fields }) => `${fields.set} ${fields.id}`)).toEqual(['birds 1', 'birds 2', 'nests 1']);
    expect(done.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug']);
    expect(await backupsIn(folder.path)).toEqual([]);
  });

  it('backs an existing database up before a new step; the backup is whole and has the old schema', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const database = await startedDatabase<Tables>({ path, migrations: [one] });
    await database.write((transaction) => transaction.insertInto('birds').values({ id: 1, name: 'wren' }).execute());
    await database.stop();
    await run(path, [one, two], { clock: new VirtualClock({ startMs: Date.UTC(2026, 2, 1) }) });
    expect(await backupsIn(folder.path)).toEqual(['store.sqlite.before-birds-2-20260301T000000000Z.sqlite']);
    using backup = new DatabaseSync(folder.file('store.sqlite.before-birds-2-20260301T000000000Z.sqlite'));
    expect(backup.prepare('select name from birds').all()).toEqual([{ name: 'wren' }]);
    expect(backup.prepare('select count(*) as n from schema_migrations').get()).toEqual({ n: 1 });
    await using migrated = await startedDatabase<Tables>({ path, migrations: [one, two] });
    expect(await migrated.read.selectFrom('birds').select('name').execute()).toEqual([{ name: 'wren' }]);
  });

  it('keeps the database, what belongs to it and its backups to their owner', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await run(path, [one]);
    await using database = await startedDatabase<Tables>({ path, migrations: [one, two] });
    await database.write((transaction) => transaction.insertInto('birds').values({ id: 1, name: 'wren' }).execute());
    const files = (await readdir(folder.path)).sort();
    expect(files).toHaveLength(4);
    for (const name of files) expect([name, (await stat(folder.file(name))).mode & 0o777]).toEqual([name, 0o600]);
  });

  it('keeps the newest three backups', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const steps = [one, two];
    for (let id = 3; id <= 6; id += 1)
      steps.push({ set: 'birds', id, name: `step ${id}`, up: `create view v${id} as select ${id}` });
    for (let count = 1; count <= steps.length; count += 1) {
      await run(path, steps.slice(0, count), { clock: new VirtualClock({ startMs: Date.UTC(2026, 0, count) }) });
    }
    const kept = await backupsIn(folder.path);
    expect(kept.map((name) => name.slice('store.sqlite.before-'.length, -'T000000000Z.sqlite'.length))).toEqual([
      'birds-4-20260104',
      'birds-5-20260105',
      'birds-6-20260106',
    ]);
  });

  it('does not migrate when no backup can be made', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await run(path, [one]);
    const clock = new VirtualClock({ startMs: Date.UTC(2026, 2, 1) });
    const inTheWay = folder.file('store.sqlite.before-birds-2-20260301T000000000Z.sqlite');
    await mkdir(inTheWay);
    await expect(run(path, [one, two], { clock })).rejects.toMatchObject({ code: 'backup_failed' });
    await run(path, [one]);
  });

  it('refuses a step that was changed after it was released', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await run(path, [one]);
    const changed = { ...one, up: `${one.up} ` };
    await expect(run(path, [changed])).rejects.toMatchObject({ code: 'migration_changed' });
  });

  it('rejects a database of a newer version without changing it', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await run(path, [one, two, other]);
    const before = await readFile(path);
    for (const older of [
      [one, other],
      [one, two],
    ]) {
      await expect(run(path, older)).rejects.toMatchObject({
        code: 'database_newer',
      });
    }
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('refuses a database of another program', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const foreign = new DatabaseSync(path);
    foreign.exec('create table t (a integer)');
    foreign.close();
    await expect(run(path, [one])).rejects.toMatchObject({ code: 'database_foreign' });
  });

  it.each([
    ['SQL that fails half-way', 'create table a (x integer) strict; create table birds (x integer) strict'],
    [
      'rows left without their parent',
      'create table c (p integer references birds (id)) strict; insert into c values (9)',
    ],
    ['a transaction ended by the step', 'create table d (x integer) strict; commit'],
  ])('undoes a step with %s, keeps the steps before it, and names it', async (_, up) => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    await run(path, [one]);
    const bad = { set: 'birds', id: 3, name: 'bad', up };
    await expect(run(path, [one, two, bad])).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('birds 3 (bad)'),
    });
    using file = new DatabaseSync(path);
    expect(file.prepare("select name from sqlite_schema where type = 'table'").all()).toEqual([
      { name: 'schema_migrations' },
      { name: 'birds' },
    ]);
    await run(path, [one, two]);
  });
});
