import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { findSource, fingerprintOf } from './source-folder.ts';

it('sees a write into a log that keeps its size, and files beside a linked database', async () => {
  await using folder = await temporaryFolder('source');
  const place = join(folder.path, 'storage', 'pioreactor.sqlite');
  await mkdir(join(folder.path, 'storage'));
  using database = new DatabaseSync(join(folder.path, 'p.sqlite'));
  database.exec('pragma journal_mode = wal; create table t (a); pragma wal_checkpoint; insert into t values (1)');
  await symlink('../p.sqlite', place);
  const source = await findSource(folder.path);
  expect(source.root).toBe(folder.path);
  const before = await fingerprintOf(source);
  expect(await fingerprintOf(source)).toBe(before);
  database.exec('pragma wal_checkpoint; insert into t values (2)');
  expect(await fingerprintOf(source)).not.toBe(before);
});
