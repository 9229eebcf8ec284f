import { makeFolders, reasonOf, StartupError } from '@lcs/platform';

/** @throws StartupError with one sentence for the operator */
export async function createFolder(path: string): Promise<void> {
  try {
    await makeFolders(path);
  } catch (error) {
    throw new StartupError(`Cannot use the folder ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}
