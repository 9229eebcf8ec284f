import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@lcs/platform';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { DescriptorCatalog } from './descriptor-catalog.ts';
import { descriptorReader } from './yaml-descriptor.ts';

it('skips everything but plain files, and names no path of the machine', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'lcs-descriptors-'));
  try {
    const folder = join(dataFolder, 'things');
    await mkdir(join(folder, 'folder.yaml'), { recursive: true });
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    await symlink(join(folder, 'circle.yaml'), join(folder, 'circle.yaml'));
    await writeFile(join(folder, 'good.yaml'), 'name: good');
    await writeFile(join(folder, 'text.yaml'), 'name: [bad\n');
    const catalog = new DescriptorCatalog<{ readonly name: string }>({
      kind: 'things',
      dataFolder,
      folders: ['things'],
      keyOf: ({ name }) => name,
      read: descriptorReader(Type.Object({ name: Type.String() }), (file) => file),
      log: memoryLog(),
    });
    expect(await catalog.list([])).toEqual([{ name: 'good' }]);
    expect(await catalog.problems()).toEqual([
      { kind: 'things', file: 'things/circle.yaml', line: null, reason: 'its symbolic links lead in a circle' },
      { kind: 'things', file: 'things/folder.yaml', line: null, reason: 'It is not a regular file.' },
      { kind: 'things', file: 'things/pipe.yaml', line: null, reason: 'It is not a regular file.' },
      { kind: 'things', file: 'things/text.yaml', line: 2, reason: expect.stringMatching(/ at line 2, column 1\.$/) },
    ]);
  } finally {
    await rm(dataFolder, { recursive: true });
  }
});
