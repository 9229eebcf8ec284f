import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('the built program loads no code of fetch before it fetches', async () => {
  const bundle = new URL('../../packages/cli/dist/main.js', import.meta.url).href;
  const script = `await import(${JSON.stringify(bundle)}); console.log(JSON.stringify(process.moduleLoadList));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  const loaded: unknown = JSON.parse(stdout);
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
});
