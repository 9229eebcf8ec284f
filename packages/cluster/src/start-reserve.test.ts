import { stat, writeFile } from 'node:fs/promises';
import { memoryLog } from '@lcs/platform';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { freeBytes, giveReserve, reserveBytes, takeReserve } from './start-reserve.ts';

const reserveIn = (folder: string) => `${folder}/run/start-reserve`;

it('reserves its space once, and only the missing part', async () => {
  await using folder = await temporaryFolder('reserve');
  const log = memoryLog();
  await takeReserve(folder.path, log);
  const { size, mode, blocks, mtimeMs } = await stat(reserveIn(folder.path));
  expect([size, mode & 0o777]).toEqual([reserveBytes, 0o600]);
  // Allocated blocks, not a sparse file.
  expect(blocks * 512).toBeGreaterThanOrEqual(reserveBytes);
  await takeReserve(folder.path, log);
  expect((await stat(reserveIn(folder.path))).mtimeMs).toBe(mtimeMs);
  await writeFile(reserveIn(folder.path), Buffer.alloc(100_000));
  await takeReserve(folder.path, log);
  expect((await stat(reserveIn(folder.path))).size).toBeGreaterThanOrEqual(reserveBytes);
  expect(log.lines).toEqual([]);
});

it('releases its space, once', async () => {
  await using folder = await temporaryFolder('reserve');
  await takeReserve(folder.path, memoryLog());
  expect([await giveReserve(folder.path), await giveReserve(folder.path)]).toEqual([true, false]);
  await expect(stat(reserveIn(folder.path))).rejects.toMatchObject({ code: 'ENOENT' });
  await writeFile(reserveIn(folder.path), '');
  expect(await giveReserve(folder.path)).toBe(false);
});

it('logs where no space can be reserved, and does not stop the node', async () => {
  await using folder = await temporaryFolder('reserve');
  await writeFile(`${folder.path}/run`, 'no folder');
  const log = memoryLog();
  await takeReserve(folder.path, log);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
});

it('measures the free space', async () => {
  await using folder = await temporaryFolder('reserve');
  expect(await freeBytes(folder.path)).toBeGreaterThan(0);
  await expect(freeBytes(`${folder.path}/missing`)).rejects.toMatchObject({ code: 'ENOENT' });
});
