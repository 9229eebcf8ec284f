import { runChildProcess } from './run-child-process.ts';
import { StoreError } from './store-error.ts';

/**
 * Copies a consistent state of a database that may be in use to `target`, in a process of its own.
 * @throws StoreError `backup_failed`, or `not_running` when `signal` ends it: `target` is then incomplete
 */
export async function snapshotDatabase(source: string, target: string, signal: AbortSignal): Promise<void> {
  const unfinished = 'The copy of the database was not finished.';
  const message = await runChildProcess('snapshot-worker', [source, target], { signal, unfinished });
  if (message !== 'done') throw new StoreError('backup_failed', String(message));
}
