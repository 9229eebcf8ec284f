import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-folders-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('makes a folder and those above it, for their owner alone, and leaves those that are there as they are', async () => {
  await chmod(folder, 0o755);
  await makeFolders(join(folder, 'a', 'b', 'c'));
  await makeFolders(join(folder, 'a', 'b', 'c'));
  for (const made of ['a', 'a/b', 'a/b/c']) expect((await stat(join(folder, made))).mode & 0o777).toBe(0o700);
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
});

it('accepts two concurrent calls for the same folder', async () => {
  await Promise.all([makeFolders(join(folder, 'a', 'b')), makeFolders(join(folder, 'a', 'b'))]);
  expect((await stat(join(folder, 'a', 'b'))).isDirectory()).toBe(true);
});

it('fails where a file is in the way', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(makeFolders(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolders(join(folder, 'file', 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

it('fails, and does not try for ever, on a file system that takes no folders', async () => {
  await expect(makeFolders('/proc/none/.lock')).rejects.toMatchObject({ code: 'ENOENT' });
});
