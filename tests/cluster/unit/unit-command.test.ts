import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@lcs/cli/testing';
import { startStandInLeader, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../../packages/cli/bin/lcs.js', import.meta.url));

/** What a start that fails prints; in this process. */
const failing = async (...words: string[]) => {
  const { code, out, err } = await runProgram(['unit', '--json', ...words]);
  expect(out).toBe('');
  expect(err).not.toContain('    at ');
  return { status: code, lastLine: err.trim().split('\n').at(-1) ?? '' };
};

/** The same of a process. */
const failingProcess = (...words: string[]) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, 'unit', '--json', ...words], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(stdout).toBe('');
  expect(stderr).not.toContain('    at ');
  return { status, lastLine: stderr.trim().split('\n').at(-1) ?? '' };
};

describe('starting a unit', () => {
  it('fails with one sentence and exit code 1; invalid options with 2', async () => {
    await using folder = await temporaryFolder('unit-command');
    await using leader = await startStandInLeader();
    const dataFolder = `${folder.path}/first`;
    const witnessPath = `${folder.path}/witness`;
    const first = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
    onTestFinished(() => first.kill('SIGTERM'));
    const port = new URL(first.url).port;
    const words = ['--leader', leader.url, '--name', 'unit2'];
    const locked = failingProcess(...words, '--data-dir', dataFolder, '--port', '0');
    expect(locked).toMatchObject({ status: 1, lastLine: expect.stringContaining('is in use by another node') });
    const taken = await failing(...words, '--data-dir', `${folder.path}/second`, '--port', port);
    expect(taken).toMatchObject({ status: 1, lastLine: expect.stringContaining(port) });
    const nameless = await failing(...words, '--name', 'a b', '--data-dir', `${folder.path}/third`);
    expect(nameless).toMatchObject({ status: 1, lastLine: expect.stringContaining('Invalid unit name') });
    expect(failingProcess('--name', 'unit2').status).toBe(2);
    expect((await failing('--leader', 'nonsense')).status).toBe(2);
    expect((await failing(...words, '--speed', '0')).status).toBe(2);
  }, 60_000);
});
