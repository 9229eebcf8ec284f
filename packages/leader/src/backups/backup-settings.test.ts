import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/test-leader.ts';
import { loadBackupPlace } from './backup-settings.ts';

/** A data folder whose `leader.ini` names this place of backups. */
async function placeNamed(folder: (root: string) => string) {
  await using root = await temporaryFolder();
  const data = join(root.path, 'data');
  await mkdir(join(data, 'backups'), { recursive: true });
  await symlink(data, join(root.path, 'link'));
  await writeFile(join(data, 'leader.ini'), `[backup]\nfolder=${folder(root.path)}\n`);
  const { folder: found, isSecond } = await loadBackupPlace(data);
  return { below: found.slice(root.path.length), isSecond };
}

describe('the second place of backups', () => {
  it.each([
    ['a folder beside the data folder', 'data-backups', { below: '/data-backups', isSecond: true }],
    ['a folder that is not there', 'drive/lcs', { below: '/drive/lcs', isSecond: true }],
    ['the usual one, which is no second place', 'link/backups', { below: '/data/backups', isSecond: false }],
  ])('may be %s', async (_, name, expected) => {
    expect(await placeNamed((root) => join(root, name))).toEqual(expected);
  });

  it.each(['data', 'data/mine', 'data/backups/more', 'link/storage/of/mine', 'data/../data/x'])(
    'is refused inside the data folder: %s',
    async (name) => {
      await expect(placeNamed((root) => `${root}/${name}`)).rejects.toThrow(
        /leader\.ini cannot be used: \[backup\] folder is .*, inside the data folder: each backup would hold the earlier ones/,
      );
    },
  );
});
