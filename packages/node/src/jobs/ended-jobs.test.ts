import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { memoryLog } from '@lcs/platform';
import { temporaryFolder } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { EndedJobsFile } from './ended-jobs.ts';

const slotBytes = 4_096;

async function world() {
  const folder = await temporaryFolder();
  const path = folder.file('ended-jobs');
  const log = memoryLog();
  return {
    path,
    log,
    /** As the next run of the node sees it. */
    opened: async () => {
      const file = new EndedJobsFile(path, log);
      return { file, ids: await file.load() };
    },
    /** Overwrites some bytes of the file. */
    damage: async (offset: number, bytes: number) => {
      const content = await readFile(path);
      content.fill('x', offset, offset + bytes);
      await writeFile(path, content);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

it('knows after a restart which jobs have ended, and not those that the database has', async () => {
  await using w = await world();
  const { file, ids } = await w.opened();
  expect(ids).toEqual([]);
  await file.add([3, 4]);
  await file.add([9]);
  await file.remove([4]);
  expect((await w.opened()).ids).toEqual([3, 9]);
});

it('reserves all of its space at the first start', async () => {
  await using w = await world();
  const { file } = await w.opened();
  expect((await stat(w.path)).size).toBe(2 * slotBytes);
  for (let id = 1; id < 300; id += 1) await file.add([Number.MAX_SAFE_INTEGER - id]);
  expect((await stat(w.path)).size).toBe(2 * slotBytes);
  const { ids } = await w.opened();
  expect(ids).toHaveLength(200);
  // The newest.
  expect(ids.at(-1)).toBe(Number.MAX_SAFE_INTEGER - 299);
  expect((await stat(w.path)).mode & 0o777).toBe(0o600);
});

it.each([0, 1])('continues with the other slot when slot %d is incomplete', async (slot) => {
  await using w = await world();
  const { file } = await w.opened();
  await file.add([1]);
  await file.add([2]);
  await w.damage(slot * slotBytes + 20, 4);
  // The first change went to slot 1, the second to slot 0.
  expect((await w.opened()).ids).toEqual(slot === 1 ? [1, 2] : [1]);
});

it('knows nothing when both slots are damaged, and works again from the next change on', async () => {
  await using w = await world();
  const { file } = await w.opened();
  await file.add([1]);
  await w.damage(0, 2 * slotBytes);
  const next = await w.opened();
  expect(next.ids).toEqual([]);
  await next.file.add([5]);
  expect((await w.opened()).ids).toEqual([5]);
});

it('keeps the entries of a truncated file, and reserves its space again', async () => {
  await using w = await world();
  const { file } = await w.opened();
  await file.add([1]);
  await file.add([2]);
  await truncate(w.path, slotBytes);
  expect((await w.opened()).ids).toEqual([1, 2]);
  expect((await stat(w.path)).size).toBe(2 * slotBytes);
  expect((await w.opened()).ids).toEqual([1, 2]);
});

it('reports that it cannot be read or written, and never rejects', async () => {
  await using w = await world();
  await mkdir(w.path);
  const { file, ids } = await w.opened();
  expect(ids).toEqual([]);
  await file.add([1]);
  expect(w.log.lines.map(({ level }) => level)).toEqual(['error', 'error']);
});

it('writes one change after the other', async () => {
  await using w = await world();
  const { file } = await w.opened();
  await Promise.all([file.add([1]), file.add([2]), file.remove([1]), file.add([3])]);
  expect((await w.opened()).ids).toEqual([2, 3]);
});
