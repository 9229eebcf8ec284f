import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StoreError } from './store-error.ts';
import { workerFile } from './worker-file.ts';

/**
 * What a program says that is started for one question. A single step of SQLite may take minutes: a thread cannot be ended
 * meanwhile and would hold up the end of the node, a process can. It is gone when this returns.
 * @throws StoreError `not_running` with the reason `unfinished` when `signal`, or something else, ends it first
 */
export async function askProcess(
  name: 'integrity-worker' | 'snapshot-worker',
  question: readonly string[],
  { signal, unfinished }: { readonly signal: AbortSignal; readonly unfinished: string },
): Promise<unknown> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(workerFile(name, import.meta.url)), question, { execArgv: [], stdio: 'ignore' });
  const outcome = Promise.withResolvers<unknown>();
  const gone = once(child, 'close');
  const stopped = () => outcome.reject(new StoreError('not_running', unfinished));
  child.once('message', outcome.resolve);
  child.once('error', outcome.reject);
  child.once('close', stopped);
  signal.addEventListener('abort', stopped, { once: true });
  try {
    return await outcome.promise;
  } finally {
    signal.removeEventListener('abort', stopped);
    child.kill('SIGKILL');
    // That it could not be started is the outcome.
    await gone.catch(() => {});
  }
}
