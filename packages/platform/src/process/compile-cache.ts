import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * What a child needs in its environment to take its compiled code from the cache of this process: it is up in a third of the
 * time. Empty where this process uses none.
 */
export function compileCacheForChild(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node tells the folder of its own version in the one it was given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
