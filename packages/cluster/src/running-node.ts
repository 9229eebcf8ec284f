import {
  clearWorkFiles,
  type DataFolder,
  finishImport,
  type Identity,
  type IdentityKey,
  loadIdentity,
  loadIdentityKey,
  openDataFolder,
} from '@lcs/node';
import { type Clock, type LifecycleTree, type Log, StartupError, StoreError } from '@lcs/platform';
import { freeBytes, giveReserve, reserveBytes, takeReserve } from './start-reserve.ts';

/** What a node consists of while it runs. */
interface Composed {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
}

/** What is read of a data folder before the node is composed. */
export type Opened = readonly [folder: DataFolder, identity: Identity, identityKey: IdentityKey];

interface NodeStart<Running extends Composed> {
  readonly name: string;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly compose: (...opened: Opened) => Promise<Running>;
}

/**
 * Opens the data folder of a node, and starts its services. On a full disk it releases the space that an earlier start has
 * reserved for that: a unit must start so that its jobs can be stopped and its state read.
 * @throws StartupError with one sentence for the operator; the folder is closed again
 */
export async function startComposed<Running extends Composed>(
  node: NodeStart<Running>,
  signal: AbortSignal,
): Promise<Running> {
  const { dataFolder, log } = node;
  let running: Running;
  try {
    running = await startOnce(node, signal);
  } catch (error) {
    if (signal.aborted || !(await isFull(dataFolder)) || !(await giveReserve(dataFolder))) throw error;
    log.error('The disk is full; the node starts with its reserved space', {
      dataFolder,
      error: error instanceof Error ? error.message : String(error),
    });
    running = await startOnce(node, signal);
  }
  await takeReserve(dataFolder, log);
  return running;
}

/** Whether the disk has less free space than a start needs. */
async function isFull(dataFolder: string): Promise<boolean> {
  try {
    return (await freeBytes(dataFolder)) < reserveBytes;
  } catch {
    return false;
  }
}

async function startOnce<Running extends Composed>(
  { name, dataFolder, clock, log, compose }: NodeStart<Running>,
  signal: AbortSignal,
): Promise<Running> {
  const folder = await openDataFolder(dataFolder);
  const { path, openMode } = folder;
  if (openMode !== undefined)
    log.warn(
      'Other users of this machine can enter the data folder, which holds passwords and keys: run chmod 700 on it',
      {
        path,
        mode: openMode,
      },
    );
  try {
    await finishImport(folder.path);
    await clearWorkFiles(folder.path);
    const identity = await loadIdentity(folder.path, { name, clock });
    const running = await compose(folder, identity, await loadIdentityKey(folder.path));
    await running.tree.start(signal);
    return running;
  } catch (error) {
    await folder.close();
    // The store's error about an unusable file is a sentence for the operator.
    throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
  }
}

/** Stops the started services, and closes the data folder whether or not all of them could be stopped. */
export async function stopComposed({ tree, folder }: Composed): Promise<void> {
  try {
    await tree.stop();
  } finally {
    await folder.close();
  }
}
