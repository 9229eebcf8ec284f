import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExportsFolder, exportName } from './exports-folder.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'lcs-exports-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

const dayMs = 86_400_000;
const nowMs = 100 * dayMs;
const folder = () =>
  new ExportsFolder({
    path,
    log: silentLog(),
    now: () => nowMs,
    retention: () => ({ keepMs: 7 * dayMs, keepBytes: 25 }),
  });

async function add(name: string, ageDays: number, bytes = 10): Promise<void> {
  await writeFile(join(path, name), 'x'.repeat(bytes));
  const seconds = (nowMs - ageDays * dayMs) / 1_000;
  await utimes(join(path, name), seconds, seconds);
}

const names = async () => (await readdir(path)).sort();

describe('the folder of exports', () => {
  it('keeps recent exports within its size limit, and other files', async () => {
    await add('export_1.zip', 8);
    await add('export_2.zip', 6);
    await add('export_3.zip', 5);
    await add('export_4.zip', 1);
    await add('mine.zip', 50);
    await folder().start();
    expect(await names()).toEqual(['export_3.zip', 'export_4.zip', 'mine.zip']);
  });

  it('keeps the newest one however large it is', async () => {
    await add('export_1.zip', 1);
    await add('export_2.zip', 0, 100);
    await folder().prune('export_2.zip');
    expect(await names()).toEqual(['export_2.zip']);
  });

  it('removes what was cut in the middle, and nothing else', async () => {
    await add('.export_1.zip.tmp', 0);
    await add('.other.tmp', 0);
    await folder().start();
    expect(await names()).toEqual(['.other.tmp']);
  });

  it('gives a file its name when it is whole', async () => {
    const exports = folder();
    await exports.start();
    const unfinished = exports.begin('export_1.zip');
    await writeFile(unfinished.path, 'abc');
    expect(await exports.find('export_1.zip')).toBeUndefined();
    expect(await unfinished.finish()).toBe(join(path, 'export_1.zip'));
    expect(await exports.find('export_1.zip')).toMatchObject({ bytes: 3 });
    const other = exports.begin('export_2.zip');
    await writeFile(other.path, 'abc');
    await other.discard();
    expect(await names()).toEqual(['export_1.zip']);
  });

  it('has names that differ within a second', () => {
    const ids = ['0f3a-9c11', 'abcdef-1'];
    expect(ids.map((id) => exportName(Date.UTC(2026, 10, 21, 4, 49, 24, 219), () => id))).toEqual([
      'export_20261121044924_0f3a9c.zip',
      'export_20261121044924_abcdef.zip',
    ]);
  });
});
