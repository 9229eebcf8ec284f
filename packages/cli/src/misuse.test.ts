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
