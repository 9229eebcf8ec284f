import { askProcess } from './ask-process.ts';
import { StoreError } from './store-error.ts';

const isTexts = (said: unknown): said is string[] =>
  Array.isArray(said) && said.every((line) => typeof line === 'string');

/**
 * Reads the whole database in a process of its own and returns what is wrong with it, one sentence each; empty when it is
 * sound. Takes minutes for a large file; rejects with `not_running` when `signal` ends it.
 */
export async function checkIntegrity(path: string, signal: AbortSignal): Promise<string[]> {
  const unfinished = 'The check of the database was not finished.';
  const said = await askProcess('integrity-worker', [path], { signal, unfinished });
  if (!isTexts(said)) throw new StoreError('not_running', unfinished);
  return said;
}
