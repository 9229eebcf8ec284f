import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { realClock, silentLog } from '@lcs/platform';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { clusterZip } from './cluster-zip.ts';

const zipped = () => {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('x'), 'a.txt');
  zip.end();
  return Readable.from(zip.outputStream);
};
const units = Array.from({ length: 200 }, (_, index) => `rx${index}`);
const signal = new AbortController().signal;

async function world() {
  const folder = await temporaryFolder('zip');
  const context = { dataFolder: folder.path, newId: () => 'id', clock: realClock(), log: silentLog() };
  const left = () => readdir(join(folder.path, 'run'));
  return { context, left, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

it('takes the folders of many units, a few at a time, and leaves nothing however it ends', async () => {
  await using it = await world();
  let most = 0;
  let underWay = 0;
  const download = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    const content = zipped();
    content.once('end', () => {
      underWay -= 1;
    });
    return content;
  };
  const make = () => clusterZip(it.context, { download }, { units, path: '/x', freeBytes: async () => 1e12, signal });
  const chunks = await Array.fromAsync(await make());
  expect(Buffer.concat(chunks).includes('rx199/a.txt')).toBe(true);
  expect(most).toBeLessThanOrEqual(8);
  expect(await it.left()).toEqual([]);
  await (await make())[Symbol.asyncIterator]().return?.();
  expect(await it.left()).toEqual([]);
});

it('ends at once when the disk of the leader becomes full', async () => {
  await using it = await world();
  let asked = 0;
  const download = async () => {
    asked += 1;
    return zipped();
  };
  const freeBytes = async () => 1e6;
  await expect(clusterZip(it.context, { download }, { units, path: '/x', freeBytes, signal })).rejects.toMatchObject({
    code: 'storage_full',
  });
  expect(asked).toBeLessThan(20);
  expect(await it.left()).toEqual([]);
});
