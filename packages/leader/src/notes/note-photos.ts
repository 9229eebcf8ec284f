import { readFile } from 'node:fs/promises';
import { ApiError, type ExperimentNote, type IncomingUpload, type StagedUpload, StreamBody } from '@lcs/contract';
import { sql } from 'kysely';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import type { DiskSpaceLevel } from '../disk-space/disk-space-monitor.ts';
import type { OnMarked } from '../experiments/experiment-deletion.ts';
import type { PhotoFiles } from './photo-files.ts';
import { pictureType } from './picture-type.ts';
import { keyOf, type NoteKey, noteNumbered, photoTypeOf, type StoredNote, toNote } from './stored-notes.ts';

/** The staging area of uploads. */
interface StagedUploads {
  remove(staged: StagedUpload): Promise<void>;
}

export interface NotePhotosOptions {
  readonly context: Pick<LeaderContext, 'change' | 'clock' | 'database'>;
  readonly files: PhotoFiles;
  readonly uploads: StagedUploads;
  /** Readings have priority: on a nearly full disk no photo is stored. */
  readonly diskSpace: { readonly level: DiskSpaceLevel };
}

/** Photos of all experiments together: some hundred as a phone makes them, a tenth of a small disk. */
const mostPhotoBytes = 2 * 1024 * 1024 * 1024;
const mib = 1024 * 1024;

/** The photos of notes: one for each note, in a file with a row. */
export class NotePhotos {
  readonly #options: NotePhotosOptions;

  constructor(options: NotePhotosOptions) {
    this.#options = options;
  }

  /** @throws ApiError experiment_not_found, note_not_found, note_photo_not_found */
  async get(experiment: string, number: string) {
    const { context, files } = this.#options;
    const { read } = context.database;
    const note = await noteNumbered(read, await keyOf(read, experiment), number);
    const { file, content_type, bytes, sha256 } = note;
    if (file === null || content_type === null || sha256 === null) {
      throw new ApiError('note_photo_not_found', { note: number });
    }
    const headers = {
      'content-type': photoTypeOf(content_type),
      'content-length': String(bytes),
      etag: `"${sha256.slice(0, 22)}"`,
    };
    return { headers, body: new StreamBody(files.read(file, number)) };
  }

  /**
   * Adds the photo of a note, or replaces it.
   * @throws ApiError experiment_not_found, note_not_found, note_photo_invalid, note_photos_full, storage_full, and those of an upload
   */
  async put(experiment: string, number: string, upload: IncomingUpload): Promise<ExperimentNote> {
    const { context, files, uploads, diskSpace } = this.#options;
    const { read } = context.database;
    await noteNumbered(read, await keyOf(read, experiment), number);
    if (diskSpace.level !== 'enough') throw new ApiError('storage_full', {});
    const staged = await upload.receive();
    try {
      const content = await readFile(staged.path);
      const type = pictureType(content);
      if (type === undefined) throw new ApiError('note_photo_invalid', {});
      const file = await files.write(type, content);
      const row = { file, content_type: type, bytes: content.byteLength, sha256: staged.sha256 };
      return await this.#stored(experiment, number, row).catch((error: unknown) => {
        files.removeSoon([file]);
        throw error;
      });
    } finally {
      await uploads.remove(staged);
    }
  }

  /** @throws ApiError experiment_not_found, note_not_found, note_photo_not_found */
  remove(experiment: string, number: string): Promise<ExperimentNote> {
    return this.#change(experiment, number, async (transaction, effects, note) => {
      const { file } = note;
      if (file === null) throw new ApiError('note_photo_not_found', { note: number });
      await transaction.deleteFrom('note_photos').where('note_id', '=', note.id).execute();
      effects.afterCommit(() => this.#options.files.removeSoon([file]));
      return `Photo of note ${note.id} removed`;
    });
  }

  /** Call it in the change that marks an experiment as deleted. */
  readonly onDeleted: OnMarked = async (transaction, effects, experimentId) => {
    const gone = await transaction
      .deleteFrom('note_photos')
      .where(({ eb, selectFrom }) =>
        eb('note_id', 'in', selectFrom('experiment_notes').where('experiment_id', '=', experimentId).select('id')),
      )
      .returning('file')
      .execute();
    effects.afterCommit(() => this.#options.files.removeSoon(gone.map(({ file }) => file)));
  };

  #stored(
    experiment: string,
    number: string,
    row: { readonly file: string; readonly content_type: string; readonly bytes: number; readonly sha256: string },
  ): Promise<ExperimentNote> {
    const { clock } = this.#options.context;
    return this.#change(experiment, number, async (transaction, effects, note) => {
      const { file } = note;
      const { total } = await transaction
        .selectFrom('note_photos')
        .where('note_id', '!=', note.id)
        .select(sql<number>`ifnull(sum(bytes), 0)`.as('total'))
        .executeTakeFirstOrThrow();
      if (total + row.bytes > mostPhotoBytes) {
        throw new ApiError('note_photos_full', { limitMb: Math.round(mostPhotoBytes / mib) });
      }
      const values = { ...row, added_at: Math.floor(clock.now()) };
      await transaction
        .insertInto('note_photos')
        .values({ note_id: note.id, ...values })
        .onConflict((conflict) => conflict.column('note_id').doUpdateSet(values))
        .execute();
      if (file !== null) effects.afterCommit(() => this.#options.files.removeSoon([file]));
      return `Photo of note ${note.id} ${file === null ? 'added' : 'replaced'}`;
    });
  }

  /** Changes the photo of a note, and publishes that; `work` returns the entry of the event log. */
  #change(
    experiment: string,
    number: string,
    work: (transaction: LeaderTransaction, effects: Effects, note: StoredNote) => Promise<string>,
  ): Promise<ExperimentNote> {
    return this.#options.context.change(async (transaction, effects) => {
      const key: NoteKey = await keyOf(transaction, experiment);
      const note = await noteNumbered(transaction, key, number);
      const message = await work(transaction, effects, note);
      const { reactor_unit: unit } = note;
      effects.live('notes', key.name, { experiment: key.name });
      await effects.logEvent({ experiment: key, level: 'INFO', message, task: 'note', ...(unit !== null && { unit }) });
      return toNote(experiment, await noteNumbered(transaction, key, note.id));
    });
  }
}
