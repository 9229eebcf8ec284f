import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { errnoOf } from '@lcs/platform';
import { ZipFile } from 'yazl';

/** A file to pack. */
export interface PackedFile {
  readonly name: string;
  readonly path: string;
}

/** The summary of the packed files. */
type PackedSummary = (names: readonly string[]) => { readonly name: string; readonly text: string };

/**
 * Files as a zip without compression, chunk by chunk, for compressed files such as images. They are opened one after the other; one that
 * is removed meanwhile is omitted. The last member is a summary of the others, dated `nowMs`. Fails when a file cannot be read.
 */
export async function* storedZip(
  files: Iterable<PackedFile>,
  summary: PackedSummary,
  nowMs: number,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const ending = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  zip.on('error', failed.reject);
  const filling = fill(zip, files, ending.signal).then((names) => {
    const { name, text } = summary(names);
    zip.addBuffer(Buffer.from(text), name, { compress: false, mtime: new Date(nowMs) });
    zip.end();
  });
  filling.catch(failed.reject);
  try {
    const chunks = zip.outputStream[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([chunks.next(), failed.promise]);
      if (next.done) return;
      yield Buffer.from(next.value);
    }
  } finally {
    ending.abort();
    await Promise.allSettled([filling]);
  }
}

/** The names of those that were packed. */
async function fill(zip: ZipFile, files: Iterable<PackedFile>, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, path } of files) {
    signal.throwIfAborted();
    const handle = await unlessMissing(open(path));
    if (handle === undefined) continue;
    const { mtime } = await handle.stat();
    const content = handle.createReadStream({ signal });
    const packed = finished(content);
    zip.addReadStream(content, name, { compress: false, mtime });
    await packed;
    names.push(name);
  }
  return names;
}

/** Undefined: the file was removed since its folder was read. */
export async function unlessMissing(opening: Promise<FileHandle>): Promise<FileHandle | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
