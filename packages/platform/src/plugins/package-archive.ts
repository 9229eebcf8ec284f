import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);
const blockBytes = 512;
const largestBytes = 256 * 1024 * 1024;

const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/\0.*$/s, '');

/** The text of `package/package.json` in a package that npm has packed; undefined when this is no such file. */
export async function packageJsonIn(path: string): Promise<string | undefined> {
  let tar: Buffer;
  try {
    tar = await unzip(await readFile(path), { maxOutputLength: largestBytes });
  } catch (error) {
    // Not gzip, cut off, or far too large when unpacked.
    if (error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code)))
      return undefined;
    throw error;
  }
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const name = textOf(tar.subarray(at, at + 100));
    const size = Number.parseInt(textOf(tar.subarray(at + 124, at + 136)).trim(), 8);
    if (name === '' || !Number.isFinite(size)) return undefined;
    const begin = at + blockBytes;
    if (/^[^/]+\/package\.json$/.test(name)) return tar.subarray(begin, begin + size).toString('utf8');
    at = begin + Math.ceil(size / blockBytes) * blockBytes;
  }
  return undefined;
}
