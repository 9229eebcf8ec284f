import { readdir } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startedDatabase, temporaryFolder } from '../testing/test-database.ts';
import { backUp } from './backup.ts';

/** Says that it has copied the database, as a disk may that is about to fail, and has not. */
class Careless extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    return super.prepare(sql.startsWith('vacuum into') ? 'select ?' : sql);
  }
}

describe('a backup', () => {
  it('fails when the copy differs from its source; nothing of it stays', async () => {
    await using folder = await temporaryFolder();
    const path = folder.file('store.sqlite');
    const migrations = [{ set: 'birds', id: 1, name: 'birds', up: 'create table birds (id integer) strict' }];
    await (await startedDatabase({ path, migrations })).stop();
    const before = await readdir(folder.path);
    using careless = new Careless(path);
    const request = { path, before: 'birds-2', nowMs: 0 };
    expect(() => backUp(careless, request)).toThrow(expect.objectContaining({ code: 'backup_failed' }));
    expect((await readdir(folder.path)).filter((name) => name.includes('.before-'))).toEqual([]);
    expect(await readdir(folder.path)).toEqual(expect.arrayContaining(before));
  });
});
