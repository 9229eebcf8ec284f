import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { snapshotDatabase } from '@lcs/platform';
import { ZipFile } from 'yazl';
import { type ArchivedFile, archivedFiles } from './data-folder-files.ts';
import { unlessMissing } from './stored-zip.ts';

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
 * The data folder as a zip, chunk by chunk. Databases are copied one after the other, each in a consistent state. A file that is removed
 * meanwhile is omitted; one that cannot be read truncates the archive, so that it is not taken for complete.
 */
export async function* dataFolderZip(options: DataFolderZip): AsyncGenerator<Uint8Array> {
  const { dataFolder, workFolder, metadata, signal } = options;
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const ending = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let filling = Promise.resolve();
  try {
    const files = await archivedFiles(dataFolder);
    const zip = new ZipFile();
    zip.on('error', failed.reject);
    zip.addBuffer(Buffer.from(`${JSON.stringify(metadata, null, 1)}\n`), dataMetadataName);
    filling = fill(zip, files, { workFolder, signal: AbortSignal.any([signal, ending.signal]) });
    filling.catch(failed.reject);
    const chunks = zip.outputStream[Symbol.asyncIterator]();
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([chunks.next(), failed.promise]);
      if (next.done) return;
      yield Buffer.from(next.value);
    }
  } finally {
    ending.abort();
    await Promise.allSettled([filling]);
    await rm(workFolder, { recursive: true, force: true });
  }
}

type Work = Pick<DataFolderZip, 'workFolder' | 'signal'>;

/** A file is opened or copied when the one before is packed, so that only one file is open at a time. */
async function fill(zip: ZipFile, files: readonly ArchivedFile[], work: Work): Promise<void> {
  for (const file of files) {
    if (file.kind === 'folder') zip.addEmptyDirectory(file.name);
    else await addContent(zip, file, work);
  }
  zip.end();
}

async function addContent(zip: ZipFile, { name, path, kind }: ArchivedFile, work: Work): Promise<void> {
  const handle = await (kind === 'file' ? unlessMissing(open(path)) : copyOf(path, work));
  if (handle === undefined) return;
  const content = handle.createReadStream({ signal: work.signal });
  const packed = finished(content);
  zip.addReadStream(content, name);
  await packed;
}

async function copyOf(path: string, { workFolder, signal }: Work): Promise<FileHandle | undefined> {
  const original = await unlessMissing(open(path));
  if (original === undefined) return undefined;
  await original.close();
  const copy = join(workFolder, `${randomUUID()}.sqlite`);
  await snapshotDatabase(path, copy, signal);
  return open(copy);
}
