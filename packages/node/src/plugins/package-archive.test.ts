import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageJsonIn } from './package-archive.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-archive-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function entry(name: string, text: string, kind = '0'): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write(kind, 156);
  head.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  body.write(text);
  return Buffer.concat([head, body]);
}

async function read(content: Buffer): Promise<string | undefined> {
  const path = join(folder, 'x.tgz');
  await writeFile(path, content);
  return packageJsonIn(path);
}

const end = Buffer.alloc(1024);

it('finds the package.json at any position', async () => {
  const files = [entry('package/index.js', 'x'.repeat(700)), entry('package/package.json', '{"name":"ä"}'), end];
  expect(await read(gzipSync(Buffer.concat(files)))).toBe('{"name":"ä"}');
});

it('ignores other files of that name', async () => {
  const files = [
    entry('PaxHeader/package.json', '30 path=package/package.json\n', 'x'),
    entry('package/package.json', '{"name":"a"}'),
    end,
  ];
  expect(await read(gzipSync(Buffer.concat(files)))).toBe('{"name":"a"}');
});

it('keeps nothing of a large archive in memory', async () => {
  const files = [entry('package/big.bin', 'x'.repeat(100 * 1024 * 1024)), entry('package/package.json', '{}'), end];
  const archive = gzipSync(Buffer.concat(files), { level: 1 });
  files.length = 0;
  const before = process.memoryUsage().rss;
  expect(await read(archive)).toBe('{}');
  expect(process.memoryUsage().rss - before).toBeLessThan(90 * 1024 * 1024);
});

it('takes no other one', async () => {
  const files = [entry('package/sub/package.json', '{}'), entry('package.json', '{}'), end];
  expect(await read(gzipSync(Buffer.concat(files)))).toBeUndefined();
});

it('returns nothing for a file that is not a package', async () => {
  expect(await read(Buffer.from('a text'))).toBeUndefined();
  expect(await read(gzipSync(Buffer.alloc(0)))).toBeUndefined();
  expect(await read(gzipSync(Buffer.from('a text')))).toBeUndefined();
  const whole = gzipSync(Buffer.concat([entry('package/package.json', '{}'), end]));
  expect(await read(whole.subarray(0, whole.length - 12))).toBeUndefined();
});
