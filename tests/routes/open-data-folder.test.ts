import { chmod } from 'node:fs/promises';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';

it.each([
  [0o755, 1],
  [0o750, 1],
  [0o700, 0],
])('a data folder of mode %o that others can enter is reported at the start', async (mode, reports) => {
  await using folder = await temporaryFolder('open');
  await chmod(folder.path, mode);
  await using leader = await startLeader({ dataFolder: folder.path });
  const found = leader.log.lines.filter((line) => JSON.stringify(line).includes('chmod 700'));
  expect(found).toHaveLength(reports);
});
