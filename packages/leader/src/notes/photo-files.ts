import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type NotePhotoType } from '@lcs/contract';
import { errnoOf, type Service, writeFileDurably } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

const suffixes: Readonly<Record<NotePhotoType, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
};

/** The pattern of generated names: files of people have others. */
const ownName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp)$|^\..*\.tmp$/;

/**
 * The files of the photos of notes. A file is on disk before its row, and is removed after it: what a crash leaves is a file
 * without a row, which the next start removes.
 */
export class PhotoFiles implements Service {
  readonly name = 'photos of notes';
  readonly #context: Pick<LeaderContext, 'dataFolder' | 'database' | 'log' | 'newId'>;
  readonly #folder: string;
  /** Never rejects. */
  #removing: Promise<void> = Promise.resolve();

  constructor(context: Pick<LeaderContext, 'dataFolder' | 'database' | 'log' | 'newId'>) {
    this.#context = context;
    this.#folder = join(context.dataFolder, 'storage', 'note_photos');
  }

  async start(): Promise<void> {
    const { database, log } = this.#context;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const rows = await database.read.selectFrom('note_photos').select('file').execute();
    const known = new Set(rows.map(({ file }) => file));
    const left = (await readdir(this.#folder)).filter((file) => ownName.test(file) && !known.has(file));
    await this.#remove(left);
    if (left.length > 0) log.info('Photos without a note were removed', { count: left.length });
  }

  async stop(): Promise<void> {
    await this.#removing;
  }

  /** Resolves to its name, once it is on disk. */
  async write(type: NotePhotoType, content: Uint8Array): Promise<string> {
    const file = this.#context.newId() + suffixes[type];
    await writeFileDurably(join(this.#folder, file), content);
    return file;
  }

  /** Removes files whose rows are gone. Never throws: what stays is removed at the next start. */
  removeSoon(files: readonly string[]): void {
    this.#removing = this.#removing
      .then(() => this.#remove(files))
      .catch((error: unknown) =>
        this.#context.log.warn('Photos could not be removed', { files: files.join(', '), error: String(error) }),
      );
  }

  async #remove(files: readonly string[]): Promise<void> {
    for (const file of files) await rm(join(this.#folder, file), { force: true });
  }

  /** The bytes of a photo, which may have been removed in the meantime. @throws ApiError note_photo_not_found */
  async *read(file: string, note: string): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* createReadStream(join(this.#folder, file));
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? new ApiError('note_photo_not_found', { note }) : error;
    }
  }
}
