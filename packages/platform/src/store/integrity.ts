import { runChildProcess } from './run-child-process.ts';
import { StoreError } from './store-error.ts';

const isTexts = (message: unknown): message is string[] =>
  Array.isArray(message) && message.every((line) => typeof line === 'string');

/**
 * Reads the whole database in a process of its own and returns its faults, one sentence each; empty when there are none. Takes minutes for
 * a large file; rejects with `not_running` when `signal` ends it.
 */
export async function checkIntegrity(path: string, signal: AbortSignal): Promise<string[]> {
  const unfinished = 'The check of the database was not finished.';
  const message = await runChildProcess('integrity-worker', [path], { signal, unfinished });
  if (!isTexts(message)) throw new StoreError('not_running', unfinished);
  return message;
}
