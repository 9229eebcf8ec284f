import type { FileHandle } from 'node:fs/promises';
import { errnoOf } from '@lcs/platform';

/** Undefined: the file was removed since its folder was read. */
export async function whenThere(opening: Promise<FileHandle>): Promise<FileHandle | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
