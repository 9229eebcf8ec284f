import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileDurably } from '../files/durable-file.ts';
import { errnoOf } from '../files/file-errors.ts';
import { secretKeyBytes } from './secret-box.ts';

/** The key of a file; undefined if there is none, or if the file is damaged. */
export async function readSecretKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
    return key.length === secretKeyBytes ? key : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The key of a file, made with mode 600 where there is none. */
export async function readOrMakeSecretKey(path: string): Promise<Buffer> {
  const known = await readSecretKey(path);
  if (known !== undefined) return known;
  const key = randomBytes(secretKeyBytes);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileDurably(path, `${key.toString('base64')}\n`, { mode: 0o600 });
  return key;
}
