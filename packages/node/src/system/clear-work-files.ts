import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '@lcs/platform';

/** Removes copies of databases and archives that a crash has left in `run`. Call this before `run` is used. */
export async function clearWorkFiles(dataFolder: string): Promise<void> {
  const run = join(dataFolder, 'run');
  try {
    for (const name of await readdir(run)) {
      if (name.startsWith('zip-')) await rm(join(run, name), { recursive: true, force: true });
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
