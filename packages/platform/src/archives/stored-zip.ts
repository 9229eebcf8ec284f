import { ZipFile } from 'yazl';

/** A file to be packed: one on the disk, or a text. */
export type PackedFile =
  | { readonly name: string; readonly path: string }
  | { readonly name: string; readonly text: string };

/**
 * Files as a zip, chunk by chunk, stored as they are: for what is packed already, such as pictures. They are opened one
 * after the other. `nowMs` dates the texts. Fails when a file is gone.
 */
export async function* storedZip(files: Iterable<PackedFile>, nowMs: number): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  zip.on('error', failed.reject);
  for (const file of files) {
    if ('path' in file) zip.addFile(file.path, file.name, { compress: false });
    else zip.addBuffer(Buffer.from(file.text), file.name, { compress: false, mtime: new Date(nowMs) });
  }
  zip.end();
  const chunks = zip.outputStream[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([chunks.next(), failed.promise]);
    if (next.done) return;
    yield Buffer.from(next.value);
  }
}
