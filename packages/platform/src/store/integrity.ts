import { Worker } from 'node:worker_threads';
import { StoreError } from './store-error.ts';
import { workerFile } from './worker-file.ts';

/**
 * Reads the whole database in a thread of its own and returns what is wrong with it, one sentence each; empty when it is
 * sound. Takes minutes for a large file; rejects with `not_running` when `signal` ends it.
 */
export const checkIntegrity = async (path: string, signal: AbortSignal): Promise<string[]> => {
  signal.throwIfAborted();
  const worker = new Worker(workerFile('integrity-worker', import.meta.url), {
    name: 'store-integrity',
    workerData: path,
  });
  const outcome = Promise.withResolvers<string[]>();
  const stopped = () => outcome.reject(new StoreError('not_running', 'The check of the database was not finished.'));
  worker.once('message', outcome.resolve);
  worker.once('error', outcome.reject);
  worker.once('exit', stopped);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    return await outcome.promise;
  } finally {
    signal.removeEventListener('abort', stopped);
    await worker.terminate();
  }
};
