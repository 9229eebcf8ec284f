import { Worker } from 'node:worker_threads';
import { StoreError } from './store-error.ts';
import { workerFile } from './worker-file.ts';

/**
 * Copies a database that may be in use to `target`, as it is at one moment, in a thread of its own.
 * @throws StoreError `backup_failed`, or `not_running` when `signal` ends it
 */
export async function snapshotDatabase(source: string, target: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(workerFile('snapshot-worker', import.meta.url), {
    name: 'store-snapshot',
    workerData: { source, target },
  });
  const outcome = Promise.withResolvers<string>();
  const stopped = () => outcome.reject(new StoreError('not_running', 'The copy of the database was not finished.'));
  worker.once('message', outcome.resolve);
  worker.once('error', outcome.reject);
  worker.once('exit', stopped);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    const said = await outcome.promise;
    if (said !== 'done') throw new StoreError('backup_failed', said);
  } finally {
    signal.removeEventListener('abort', stopped);
    await worker.terminate();
  }
}
