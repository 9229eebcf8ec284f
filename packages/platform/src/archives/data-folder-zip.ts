import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { snapshotDatabase } from '../store/snapshot.ts';
import { type ArchivedFile, archivedFiles } from './data-folder-files.ts';

export const dataMetadataName = 'reactor_export_metadata.json';

export interface DataFolderZip {
  readonly dataFolder: string;
  /** A new folder for copies of databases; removed at the end. */
  readonly workFolder: string;
  readonly metadata: {
    readonly metadata_version: 1;
    readonly name: string;
    readonly leader_hostname: string;
    readonly is_leader: boolean;
    readonly app_version: string;
    readonly exported_at_utc: string;
  };
  readonly signal: AbortSignal;
}

/**
 * The data folder as a zip, chunk by chunk. Databases are copied as they are at one moment, one after the other. A
 * file that cannot be read ends the archive before its end, so that nobody takes it for whole.
 */
export async function* dataFolderZip(options: DataFolderZip): AsyncGenerator<Uint8Array> {
  const { dataFolder, workFolder, metadata, signal } = options;
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  try {
    const files = await archivedFiles(dataFolder);
    const zip = new ZipFile();
    const failed = new Promise<never>((_, reject) => zip.on('error', reject));
    failed.catch(() => {});
    zip.addBuffer(Buffer.from(`${JSON.stringify(metadata, null, 1)}\n`), dataMetadataName);
    for (const file of files) addLazily(zip, file, options);
    zip.end();
    const chunks = zip.outputStream[Symbol.asyncIterator]();
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([chunks.next(), failed]);
      if (next.done) return;
      yield Buffer.from(next.value);
    }
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Nothing is opened or copied before it is its turn: a folder of thousands of files needs one open file. */
function addLazily(zip: ZipFile, { name, path, kind }: ArchivedFile, { workFolder, signal }: DataFolderZip): void {
  if (kind === 'folder') {
    zip.addEmptyDirectory(name);
    return;
  }
  const open = async () => {
    if (kind === 'file') return createReadStream(path);
    const copy = join(workFolder, `${randomUUID()}.sqlite`);
    await snapshotDatabase(path, copy, signal);
    return createReadStream(copy);
  };
  zip.addReadStreamLazy(name, (done) => {
    open().then(
      (stream) => done(null, stream),
      (error) => done(error, Readable.from([])),
    );
  });
}
