import {
  type Clock,
  clearWorkFiles,
  type DataFolder,
  finishImport,
  type Identity,
  type LifecycleTree,
  type Log,
  loadIdentity,
  openDataFolder,
  StartupError,
  StoreError,
} from '@lcs/platform';

/** What a node consists of while it runs. */
interface Composed {
  readonly tree: LifecycleTree;
  readonly folder: DataFolder;
}

interface NodeStart<Running extends Composed> {
  readonly name: string;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly compose: (folder: DataFolder, identity: Identity) => Promise<Running>;
}

/**
 * Opens the data folder of a node, and starts what it is composed of.
 * @throws StartupError with one sentence for the operator; the folder is closed again
 */
export async function startComposed<Running extends Composed>(
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
    const running = await compose(folder, await loadIdentity(folder.path, { name, clock }));
    await running.tree.start(signal);
    return running;
  } catch (error) {
    await folder.close();
    // What the store says of a file it cannot use is a sentence for the operator.
    throw error instanceof StoreError ? new StartupError(error.message, { cause: error }) : error;
  }
}

/** Stops what was started, and closes the data folder whether or not all of it could be stopped. */
export async function stopComposed({ tree, folder }: Composed): Promise<void> {
  try {
    await tree.stop();
  } finally {
    await folder.close();
  }
}
