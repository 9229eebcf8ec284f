import { expect, it } from 'vitest';
import { runProgram } from '../testing/index.ts';

const lcs = (...args: string[]) => runProgram(args);

it('has nothing to switch off where the board is simulated', async () => {
  expect(await lcs('outputs-off', '--board', 'simulated')).toEqual({
    code: 0,
    out: 'This computer has no board: there is nothing to switch off.\n',
    err: '',
  });
  expect((await lcs('outputs-off', '--board', 'simulated', '--json')).out).toBe('{"ok":true,"board":false}\n');
});

it('refuses an unknown board', async () => {
  expect(await lcs('outputs-off', '--board', 'arduino')).toMatchObject({ code: 2 });
  const unknown = await lcs('outputs-off', '--board', 'linux', '--board-version', '7.0');
  expect(unknown.code).toBe(1);
  expect(unknown.err).toContain('7.0');
});
