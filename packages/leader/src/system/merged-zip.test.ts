import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readZip } from '@lcs/node';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { mergedZip } from './merged-zip.ts';

const limits = { entries: 9, totalBytes: 99, ratio: 99 };

it('archives can be put together', async () => {
  await using folder = await temporaryFolder('merged');
  const [part, target] = [join(folder.path, 'part.zip'), join(folder.path, 'merged.zip')];
  const zip = new ZipFile();
  zip.addEmptyDirectory('a/');
  zip.addBuffer(Buffer.from('text'), 'a/b.txt');
  zip.end();
  await writeFile(part, await buffer(Readable.from(zip.outputStream)));
  await readZip(part, limits, async (members) =>
    writeFile(
      target,
      mergedZip(
        [
          { folder: 'u1', members },
          { folder: 'u2', members },
        ],
        { name: 'm.json', content: '{}' },
      ),
    ),
  );
  const names = await readZip(target, limits, async (members) => members.map(({ name }) => name));
  expect(names).toEqual(['m.json', 'u1/a/', 'u1/a/b.txt', 'u2/a/', 'u2/a/b.txt']);
});
