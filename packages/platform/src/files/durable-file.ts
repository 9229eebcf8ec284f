import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Probe } from '../store/database.ts';
import { errnoOf } from './file-errors.ts';

export interface DurableWriteOptions {
  /** Permission bits. Default: those of the file that is replaced, 0o600 for a new one. */
  readonly mode?: number;
  /** Called with `file.temp_written` and `file.renamed`. */
  readonly probe?: Probe;
}

const defaultMode = 0o600;
const temporaryName = /^\..+\.[0-9a-f]{12}\.tmp$/;

/**
 * Replaces the file by `text` (UTF-8, or the bytes themselves) so that after a crash or a power cut at any moment there is the old file or the new one, whole;
 * when the promise resolves it is the new one. Rejects with the error of the file system; the old file is then untouched.
 * A symbolic link at `path` is replaced, not followed.
 */
export async function writeFileDurably(
  path: string,
  text: string | Uint8Array,
  options: DurableWriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const mode = options.mode ?? (await modeOf(path)) ?? defaultMode;
  try {
    await withFile(temporary, 'wx', async (file) => {
      await file.chmod(mode);
      await file.writeFile(text, 'utf8');
      await file.sync();
    });
    options.probe?.('file.temp_written');
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  options.probe?.('file.renamed');
  await syncFolder(folder);
}

/** Makes created, renamed and removed names in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  await withFile(folder, 'r', (file) => file.sync());
}

/**
 * Removes what `writeFileDurably` leaves in a folder when the process ends in the middle of it. Only for the one process
 * that writes there.
 */
export async function removeTemporaryFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (temporaryName.test(name)) await rm(join(folder, name), { force: true });
  }
}

async function withFile(path: string, flags: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, defaultMode);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
