import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { StoreError } from './store-error.ts';
import { workerFile } from './worker-file.ts';

/**
 * Runs a child process for one task and returns its message. A single step of SQLite may take minutes, in which a thread cannot be ended
 * but a process can. The process has ended when this returns.
 * @throws StoreError `not_running` with the reason `unfinished` when `signal`, or something else, ends it first
 */
export async function runChildProcess(
  name: 'integrity-worker' | 'snapshot-worker',
  question: readonly string[],
  { signal, unfinished }: { readonly signal: AbortSignal; readonly unfinished: string },
): Promise<unknown> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(workerFile(name, import.meta.url)), question, { execArgv: [], stdio: 'ignore' });
  const outcome = Promise.withResolvers<unknown>();
  const closed = once(child, 'close');
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
    // The outcome is then that the process could not be started.
    await closed.catch(() => {});
  }
}
