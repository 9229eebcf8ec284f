import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/test-database.ts';
import { checkIntegrity } from './integrity.ts';

it('a check in the middle of a step of SQLite ends with its signal', async () => {
  await using folder = await temporaryFolder();
  const path = folder.file('never-opens.sqlite');
  // To open a pipe that nobody writes to lasts for ever.
  execFileSync('mkfifo', [path]);
  const ending = new AbortController();
  const checked = checkIntegrity(path, ending.signal);
  ending.abort();
  await expect(checked).rejects.toMatchObject({ code: 'not_running' });
});
