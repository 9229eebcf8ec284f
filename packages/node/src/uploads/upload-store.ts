import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError, dayMs, hourMs, type StagedUpload } from '@lcs/contract';
import {
  type Cancel,
  type Clock,
  type ExpectedUpload,
  errnoOf,
  type Log,
  type Service,
  type UploadReceiver,
  writeFileDurably,
} from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { readFilePart } from './read-file-part.ts';
import { safeFileName } from './safe-file-name.ts';

export interface UploadStoreOptions {
  /** Created if it is missing; nothing else may write there. */
  readonly folder: string;
  /** For the age of files. */
  readonly clock: Clock;
  readonly log: Log;
  /** Makes UUIDs. */
  readonly newId: () => string;
  /** Free space of the disk that the folder is on. */
  readonly freeBytes: () => Promise<number>;
}

const keptMs = dayMs;
const pruneIntervalMs = hourMs;

/** Free space that an upload leaves for the databases of the node. */
const reserveBytes = 64 * 1024 * 1024;

const namelessFile = 'file';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The metadata beside a complete file. */
const Note = Type.Object({
  file_name: Type.String(),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  staged_at: Type.Integer(),
});

/**
 * Uploaded files for a later request: an archive, a plugin. They are kept for 24 hours, also across restarts, under a random ID.
 */
export class UploadStore implements UploadReceiver, Service {
  readonly name = 'uploads';
  readonly #options: UploadStoreOptions;
  /** Uploads of an earlier run of the node have ended. */
  #isStarted = false;
  #cancelPruning: Cancel = () => {};
  #pruning: Promise<void> = Promise.resolve();

  constructor(options: UploadStoreOptions) {
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    await this.#prune();
    this.#cancelPruning = this.#options.clock.every(pruneIntervalMs, () => {
      this.#pruning = this.#prune().catch((error: unknown) =>
        this.#options.log.error('Old uploads could not be removed', { error: String(error) }),
      );
    });
  }

  async stop(): Promise<void> {
    this.#cancelPruning();
    await this.#pruning;
  }

  async receive(request: IncomingMessage, expected: ExpectedUpload): Promise<StagedUpload> {
    const announcedBytes = Number(request.headers['content-length'] ?? 0);
    const { limitBytes, field } = expected;
    if (announcedBytes > limitBytes) throw new ApiError('body_too_large', { limitBytes });
    if (announcedBytes + reserveBytes > (await this.#options.freeBytes())) throw new ApiError('storage_full', {});
    return readFilePart(request, expected, (content, name) => {
      // The name may have no character that is kept: phones name photos in any language.
      if (name !== '') return this.#stage(content, safeFileName(name) ?? namelessFile);
      return Promise.reject(new ApiError('upload_invalid', { cause: 'The file has no name.', field }));
    });
  }

  /** Copies a file of this machine into the store. @throws ApiError storage_full */
  async stageFile(path: string, fileName: string): Promise<StagedUpload> {
    const { size } = await stat(path);
    if (size + reserveBytes > (await this.#options.freeBytes())) throw new ApiError('storage_full', {});
    return this.#stage(createReadStream(path), safeFileName(fileName) ?? namelessFile);
  }

  /** The file with this ID or path, while it is kept. */
  async find(idOrPath: string): Promise<StagedUpload | undefined> {
    const uploadId = uuid.exec(basename(idOrPath))?.[0];
    if (uploadId === undefined) return undefined;
    const note = await this.#noteOf(uploadId);
    if (note === undefined || this.#isOld(note.staged_at)) return undefined;
    const path = this.#pathOf(uploadId, note.file_name);
    if (idOrPath !== uploadId && idOrPath !== path) return undefined;
    return { uploadId, fileName: note.file_name, path, sizeBytes: note.size_bytes, sha256: note.sha256 };
  }

  /** Removes a file that has been used. */
  async remove({ uploadId, path }: Pick<StagedUpload, 'uploadId' | 'path'>): Promise<void> {
    await rm(this.#notePath(uploadId), { force: true });
    await rm(path, { force: true });
  }

  async #stage(content: Readable, fileName: string): Promise<StagedUpload> {
    const uploadId = this.#options.newId();
    const path = this.#pathOf(uploadId, fileName);
    const partial = `${path}.partial`;
    try {
      const { sizeBytes, sha256 } = await writeHashed(content, partial);
      await rename(partial, path);
      const note = { file_name: fileName, size_bytes: sizeBytes, sha256, staged_at: this.#options.clock.now() };
      await writeFileDurably(this.#notePath(uploadId), `${JSON.stringify(note)}\n`);
      return { uploadId, fileName, path, sizeBytes, sha256 };
    } catch (error) {
      await rm(partial, { force: true });
      await rm(path, { force: true });
      throw error;
    }
  }

  #pathOf = (uploadId: string, fileName: string): string => join(this.#options.folder, `${uploadId}_${fileName}`);
  #notePath = (uploadId: string): string => join(this.#options.folder, `${uploadId}.json`);
  #isOld = (stagedAtMs: number): boolean => this.#options.clock.now() - stagedAtMs >= keptMs;

  async #noteOf(uploadId: string) {
    try {
      const note: unknown = JSON.parse(await readFile(this.#notePath(uploadId), 'utf8'));
      return Value.Check(Note, note) ? note : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Removes old files, and at the start incomplete ones. */
  async #prune(): Promise<void> {
    const names = await readdir(this.#options.folder);
    for (const id of new Set(names.flatMap((name) => uuid.exec(name)?.[0] ?? []))) {
      const note = await this.#noteOf(id);
      if (note !== undefined && !this.#isOld(note.staged_at)) continue;
      // A file without metadata may still be arriving; it is kept until the next start.
      if (note === undefined && this.#isStarted) continue;
      for (const name of names) if (name.startsWith(id)) await rm(join(this.#options.folder, name), { force: true });
    }
    this.#isStarted = true;
  }
}

/** Writes `content` to a new file and waits for the disk. */
async function writeHashed(content: Readable, path: string): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      await file.writeFile(chunk);
      sizeBytes += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
