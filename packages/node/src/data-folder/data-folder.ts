import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errnoOf, inside, makeFolders, reasonOf, removeTemporaryFiles, StartupError } from '@lcs/platform';
import { LockHeld, lockHolder, takeFolderLock } from './folder-lock.ts';
import { hostProcesses, type Processes } from './process-stamp.ts';

const lockFolderName = '.lock';

/** The folder in which a node keeps all it knows; this process alone uses it until `close`. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  /** Permissions as `ls` counts them (`755`) where other users of the machine can enter the folder or read it. */
  readonly openMode: string | undefined;
  /** The real path of a file below the folder; see `inside`. */
  inside(relative: string): Promise<string>;
  /** Lets another process have the folder. Calling it twice does nothing. */
  close(): Promise<void>;
}

/**
 * Creates the folder where it is missing (only its owner may enter), makes sure that it can be written to, and locks it: one
 * process per data folder. The lock of a process that was killed is taken over. Throws StartupError.
 *
 * The lock knows the processes of one machine: a folder shared over a network, or between containers that do not see each
 * other's processes, is not protected.
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

/** On Windows the mode says nothing about other users. */
async function openModeOf(folder: string): Promise<string | undefined> {
  const mode = (await stat(folder)).mode & 0o777;
  return process.platform === 'win32' || (mode & 0o077) === 0 ? undefined : mode.toString(8);
}

/** The number of the process that uses this data folder now; undefined: none. Nothing is written. */
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

/** What the operator is told when the folder cannot be opened. */
function sentenceFor(folder: string, error: unknown): string {
  if (error instanceof LockHeld) {
    return `The data folder ${folder} is in use by another node (process ${error.holder.pid}); stop it first or choose another folder.`;
  }
  const code = errnoOf(error);
  if (code !== undefined && ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) {
    return `The data folder ${folder} is on a file system without hard links; choose a folder on another disk.`;
  }
  return `The data folder ${folder} cannot be written to: ${reasonOf(error)}.`;
}
