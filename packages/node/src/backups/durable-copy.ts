import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export interface CopiedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** SHA-256 and size of a file. */
export async function hashFile(path: string, signal: AbortSignal): Promise<CopiedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'r');
  try {
    for await (const piece of file.createReadStream({ autoClose: false })) {
      signal.throwIfAborted();
      hash.update(piece);
      bytes += piece.length;
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file to a new one that only its owner can read; it is on disk when this resolves. */
export async function copyDurably(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      for await (const piece of source.createReadStream({ autoClose: false })) {
        signal.throwIfAborted();
        await target.writeFile(piece);
      }
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Writes a file, or the names in a folder, to disk (fsync). */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
