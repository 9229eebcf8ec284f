import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** Prints the URL of each module that is loaded after it. */
const listLoaded = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
`)}`;

// Each thread loads its modules again: the index of a package costs up to 0.5 s of processor time.
it.each([
  './series/reader-worker.ts',
  './exports/dataset-worker.ts',
  './capsules/capsule-worker.ts',
  './growth-summary/growth-worker.ts',
  './moving-in/import-worker.ts',
  '../../node/src/texts/text-worker.ts',
])('%s loads no whole package', async (worker) => {
  const file = fileURLToPath(new URL(worker, import.meta.url));
  const { stdout } = await run(process.execPath, ['--import', listLoaded, file]);
  const loaded = stdout.trim().split('\n');
  expect(loaded).toContainEqual(expect.stringContaining('/contract/src/durations.ts'));
  expect(loaded.filter((url) => /\/(contract|platform|domain)\/src\/index\.ts$|\/typebox\//.test(url))).toEqual([]);
});
