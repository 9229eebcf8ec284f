import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-cache-'));
});
afterEach(() => rm(folder, { recursive: true }));

const module = JSON.stringify(new URL('compile-cache.ts', import.meta.url).href);

/** What a process with this environment gives its children. */
async function givenBy(env: Readonly<Record<string, string>>): Promise<unknown> {
  const program = `import { compileCacheForChild } from ${module}; console.log(JSON.stringify(compileCacheForChild()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  return JSON.parse(stdout);
}

it('gives a child the cache of its parent, and the child its own children the same', async () => {
  expect(await givenBy({ NODE_COMPILE_CACHE: folder })).toEqual({ NODE_COMPILE_CACHE: folder });
  expect(await readdir(folder)).toHaveLength(1);
});

it('returns nothing when there is no cache', async () => {
  expect(await givenBy({})).toEqual({});
});
