import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { storedZip } from './stored-zip.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-stored-zip-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const list = (names: readonly string[]) => ({ name: 'list.txt', text: names.join() });
const placed = async (names: readonly string[], bytes: number) => {
  const files = names.map((name) => ({ name, path: join(folder, name) }));
  for (const { name, path } of files) await writeFile(path, name.padEnd(bytes));
  return files;
};

async function unpacked(chunks: readonly Uint8Array[]): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(Buffer.concat(chunks));
  const found: Record<string, string> = {};
  for await (const entry of zip.eachEntry())
    found[entry.fileName] = (await text(await zip.openReadStreamPromise(entry))).trim();
  return found;
}

it('leaves out what is removed while it is packed, and lists what is in it', async () => {
  // Longer than what is read ahead.
  const files = await placed(['a', 'b', 'c'], 1_000_000);
  const chunks: Uint8Array[] = [];
  for await (const chunk of storedZip(files, list, Date.UTC(2026, 0, 1))) {
    if (chunks.length === 0) await rm(join(folder, 'b'));
    chunks.push(chunk);
  }
  expect(await unpacked(chunks)).toEqual({ a: 'a', c: 'c', 'list.txt': 'a,c' });
});

it('holds a file of any size, also none', async () => {
  const files = await placed(['empty', 'one'], 0);
  await writeFile(join(folder, 'empty'), '');
  expect(await unpacked(await Array.fromAsync(storedZip(files, list, 0)))).toEqual({
    empty: '',
    one: 'one',
    'list.txt': 'empty,one',
  });
});

it('fails when something cannot be read', async () => {
  const nothing = storedZip([{ name: 'a', path: folder }], list, 0);
  await expect(Array.fromAsync(nothing)).rejects.toThrow('EISDIR');
});
