import { expect, it } from 'vitest';
import { runProgram } from './testing/index.ts';

it('tells misuse in words to people, and as one object to programs', async () => {
  const shown = await runProgram(['alarms', '--no-such-option']);
  expect(shown.code).toBe(2);
  expect(shown.err).toContain("unknown option '--no-such-option'");
  const told = await runProgram(['alarms', '--no-such-option', '--json']);
  expect(told).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse(told.err)).toEqual({
    error: 'The command line cannot be understood.',
    cause: "unknown option '--no-such-option'",
    remediation: 'Run "lcs --help" to see what there is.',
  });
});

it('says to programs that a command is missing', async () => {
  const told = await runProgram(['--json']);
  expect(told.code).toBe(2);
  expect(JSON.parse(told.err)).toMatchObject({ remediation: 'Run "lcs --help" to see what there is.' });
});
