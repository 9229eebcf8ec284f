import { askProcess } from './ask-process.ts';
import { StoreError } from './store-error.ts';

/**
 * Copies a database that may be in use to `target`, as it is at one moment, in a process of its own.
 * @throws StoreError `backup_failed`, or `not_running` when `signal` ends it: `target` is then a part of a copy
 */
export async function snapshotDatabase(source: string, target: string, signal: AbortSignal): Promise<void> {
  const unfinished = 'The copy of the database was not finished.';
  const said = await askProcess('snapshot-worker', [source, target], { signal, unfinished });
  if (said !== 'done') throw new StoreError('backup_failed', String(said));
}
