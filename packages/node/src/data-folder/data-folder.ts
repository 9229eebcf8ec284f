import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errnoOf, inside, makeFolders, reasonOf, removeTemporaryFiles, StartupError } from '@lcs/platform';
import { LockHeld, lockHolder, takeFolderLock } from './folder-lock.ts';
import { hostProcesses, type Processes } from './process-stamp.ts';

const lockFolderName = '.lock';

/** The folder with all data of a node; only this process uses it until `close`. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  /** The octal permissions (`755`) if other users of the machine can enter or read the folder. */
  readonly openMode: string | undefined;
  /** The real path of a file below the folder; see `inside`. */
  inside(relative: string): Promise<string>;
  /** Releases the folder for other processes. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates the folder if it is missing (only its owner may enter), checks that it is writable, and locks it: one process per data folder.
 * The lock of a killed process is replaced. Throws StartupError.
 *
 * The lock works between processes of one machine: a folder that is shared over a network, or between containers with separate process
 * namespaces, is not protected.
 */
export async function openDataFolder(path: string, processes: Processes = hostProcesses()): Promise<DataFolder> {
  const folder = resolve(path);
  const lock = await lockFolder(folder, processes);
  let closed: Promise<void> | undefined;
  return {
    path: folder,
    openMode: await openModeOf(folder),
    inside: (relative) => inside(folder, relative),
    close: () => {
      closed ??= lock.release();
      return closed;
    },
  };
}

/** On Windows, the mode does not describe other users. */
async function openModeOf(folder: string): Promise<string | undefined> {
  const mode = (await stat(folder)).mode & 0o777;
  return process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : mode.toString(8);
}

/** The process ID of the node that uses this data folder; undefined: none. Does not write. */
export async function nodeUsing(path: string, processes: Processes = hostProcesses()): Promise<number | undefined> {
  return (await lockHolder(join(resolve(path), lockFolderName), processes))?.pid;
}

async function lockFolder(folder: string, processes: Processes) {
  const lockFolderPath = join(folder, lockFolderName);
  try {
    await makeFolders(lockFolderPath);
    const lock = await takeFolderLock(lockFolderPath, processes);
    await removeTemporaryFiles(folder);
    return lock;
  } catch (error) {
    throw new StartupError(sentenceFor(folder, error), { cause: error });
  }
}

/** The message for the operator when the folder cannot be opened. */
function sentenceFor(folder: string, error: unknown): string {
  if (error instanceof LockHeld) {
    return `The data folder ${folder} is in use by another node (process ${error.holder.pid}). Stop it or choose another folder.`;
  }
  const code = errnoOf(error);
  if (code !== undefined && ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) {
    return `The data folder ${folder} is on a file system without hard links. Choose a folder on another disk.`;
  }
  return `The data folder ${folder} is not writable: ${reasonOf(error)}.`;
}
