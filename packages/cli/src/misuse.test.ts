import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from './testing/index.ts';

it('reports misuse as text to people, and as one object to programs', async () => {
  const shown = await runProgram(['alarms', '--no-such-option']);
  expect(shown.code).toBe(2);
  expect(shown.err).toContain("unknown option '--no-such-option'");
  const result = await runProgram(['alarms', '--no-such-option', '--json']);
  expect(result).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(result.err)).toEqual({
    error: expect.any(String),
    cause: "unknown option '--no-such-option'",
    remediation: expect.stringContaining('lcs --help'),
  });
});

it('reports a missing command to programs', async () => {
  const result = await runProgram(['--json']);
  expect(result.code).toBe(2);
  expect(JSON.parse(result.err)).toMatchObject({ remediation: expect.stringContaining('lcs --help') });
});

it('does not go to another leader of the machine while that of this folder does not run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-folder-'));
  await mkdir(join(folder, 'storage'));
  await writeFile(join(folder, 'storage', 'leader.sqlite'), '');
  const result = await runProgram(['stop', '--everything'], { defaultDataFolder: folder });
  expect(result).toMatchObject({ code: 1, out: '', err: expect.stringContaining(folder) });
  await rm(folder, { recursive: true });
});
