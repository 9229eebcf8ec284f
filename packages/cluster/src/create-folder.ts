import { mkdir } from 'node:fs/promises';
import { reasonOf, StartupError } from '@lcs/platform';

/** @throws StartupError with one sentence for the operator */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartupError(`The folder ${path} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}
