import { Readable } from 'node:stream';
import type { ZipMember } from '@lcs/node';
import { ZipFile } from 'yazl';

/** The members of one archive, and the folder that they are put into. */
export interface MergedPart {
  readonly folder: string;
  readonly members: readonly ZipMember[];
}

/** Several archives as one, chunk by chunk, with a text file beside their folders. */
export async function* mergedZip(
  parts: readonly MergedPart[],
  metadata: { readonly name: string; readonly content: string },
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => zip.on('error', reject));
  failed.catch(() => {});
  zip.addBuffer(Buffer.from(metadata.content), metadata.name);
  for (const { folder, members } of parts) for (const member of members) add(zip, folder, member);
  zip.end();
  const chunks = zip.outputStream[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([chunks.next(), failed]);
    if (next.done) return;
    yield Buffer.from(next.value);
  }
}

function add(zip: ZipFile, folder: string, { name, isFolder, open }: ZipMember): void {
  if (isFolder) {
    zip.addEmptyDirectory(`${folder}/${name}`);
    return;
  }
  zip.addReadStreamLazy(`${folder}/${name}`, (done) => {
    open().then(
      (stream) => done(null, stream),
      (error) => done(error, Readable.from([])),
    );
  });
}
