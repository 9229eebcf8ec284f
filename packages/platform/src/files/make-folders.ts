import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from './file-errors.ts';

/**
 * Creates a folder and those above it where they are missing; only their owner may enter. Node's own `recursive` option never returns on
 * file systems without `mkdir`, such as `/proc`, and ignores signals.
 *
 * @throws the file system's error
 */
export async function makeFolders(path: string): Promise<void> {
  const missing = await tryToMake(path);
  if (missing === undefined) return;
  if (dirname(path) === path) throw missing;
  await makeFolders(dirname(path));
  const stillMissing = await tryToMake(path);
  if (stillMissing !== undefined) throw stillMissing;
}

/** The error, when what is above the folder is missing. */
async function tryToMake(path: string): Promise<unknown> {
  try {
    await mkdir(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return error;
    if (errnoOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}
