import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@lcs/platform';
import { createFolder } from './create-folder.ts';

/** Space for a lock, an identity and the journals of the databases. */
export const reserveBytes = 2 * 1024 * 1024;
const chunkBytes = 64 * 1024;

const pathIn = (dataFolder: string): string => join(dataFolder, 'run', 'start-reserve');

/** With less free space than this nothing is reserved: the rest is for the running node. */
const enoughBytes = 64 * 1024 * 1024;

/** Bytes that this user may still write there. */
export async function freeBytes(dataFolder: string): Promise<number> {
  const { bavail, bsize } = await statfs(dataFolder);
  return bavail * bsize;
}

/** Reserves space that a later start may need when the disk is full by then. */
export async function takeReserve(dataFolder: string, log: Log): Promise<void> {
  const path = pathIn(dataFolder);
  try {
    if ((await freeBytes(dataFolder)) < enoughBytes) return;
    await createFolder(join(dataFolder, 'run'));
    const file = await open(path, 'a', 0o600);
    try {
      for (let size = (await file.stat()).size; size < reserveBytes; size += chunkBytes)
        await file.write(Buffer.alloc(chunkBytes));
    } finally {
      await file.close();
    }
  } catch (error) {
    log.warn('The reserve for a start on a full disk could not be taken', { path, error: String(error) });
  }
}

/** Releases the reserved space; returns whether there was any. */
export async function giveReserve(dataFolder: string): Promise<boolean> {
  const path = pathIn(dataFolder);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  await rm(path, { force: true });
  return size > 0;
}
