import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataFolderZip } from './data-folder-zip.ts';
import { readZip } from './read-zip.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-zip-'));
  await mkdir(join(folder, 'data', 'notes'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

const metadata = {
  metadata_version: 1,
  name: 'unit1',
  leader_hostname: 'lead',
  is_leader: false,
  app_version: '26.11.0',
  exported_at_utc: '2026-01-01T00:00:00.000Z',
} as const;

const zipped = () =>
  dataFolderZip({
    dataFolder: join(folder, 'data'),
    workFolder: join(folder, 'work'),
    metadata,
    signal: new AbortController().signal,
  });

const put = (name: string, content: string | Buffer) => writeFile(join(folder, 'data', name), content);

it('leaves out a file that is removed before its turn, and is whole', async () => {
  await put('a', randomBytes(4_000_000));
  await put('notes/b.txt', 'removed');
  await put('notes/c.txt', 'stays');
  const pieces: Uint8Array[] = [];
  for await (const piece of zipped()) {
    if (pieces.length === 0) await rm(join(folder, 'data', 'notes', 'b.txt'));
    pieces.push(piece);
  }
  const limits = { entries: 10, totalBytes: 10_000_000, ratio: 100 };
  const names = await readZip(Buffer.concat(pieces), limits, async (members) => members.map(({ name }) => name));
  expect(names.sort()).toEqual(['a', 'notes/', 'notes/c.txt', 'reactor_export_metadata.json']);
});

it('leaves nothing behind when its reader goes away', async () => {
  await put('a', randomBytes(4_000_000));
  await put('notes/b.txt', 'x');
  for await (const _ of zipped()) break;
  expect(await readdir(folder)).toEqual(['data']);
});
