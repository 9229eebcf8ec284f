import {
  ApiError,
  type ExperimentNote,
  type NoteChange,
  type NoteCreation,
  type NoteKind,
  type NoteQuery,
} from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { Effects, LeaderContext } from '../core/leader-context.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import { workerNamed } from '../queries/workers.ts';
import { acceptedNote, type Note, noteAsLog } from './note-rules.ts';
import type { VolumeNoteChanges } from './volume-notes.ts';

type Needs = Pick<LeaderContext, 'change' | 'clock' | 'database'>;

const columns = [
  ...(['id', 'at', 'kind', 'text', 'author'] as const),
  ...(['reactor_unit', 'volume_ml', 'created_at', 'updated_at'] as const),
] as const;

/** The notes of an experiment, newest first. */
export const notesOf = (database: LeaderReader, experimentId: number) =>
  database
    .selectFrom('experiment_notes')
    .where('experiment_id', '=', experimentId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .select(columns);

interface StoredNote extends Omit<Note, 'kind'> {
  readonly id: number;
  readonly kind: string;
  readonly created_at: number;
  readonly updated_at: number | null;
}

export const noteKindOf = (text: string): NoteKind =>
  text === 'sample_taken' || text === 'media_added' ? text : 'note';

const toNote = (
  experiment: string,
  { id, at, created_at, updated_at, kind, ...stored }: StoredNote,
): ExperimentNote => ({
  note_id: id,
  experiment,
  timestamp: toTimestamp(at),
  kind: noteKindOf(kind),
  text: stored.text,
  author: stored.author,
  reactor_unit: stored.reactor_unit,
  volume_ml: stored.volume_ml,
  created_at: toTimestamp(created_at),
  updated_at: updated_at === null ? null : toTimestamp(updated_at),
});

interface Key {
  readonly id: number;
  readonly name: string;
}

/** @throws ApiError experiment_not_found */
async function keyOf(database: LeaderReader, experiment: string): Promise<Key> {
  const key = await experimentKey(database, experiment).executeTakeFirst();
  if (!key) throw new ApiError('experiment_not_found', { experiment });
  return key;
}

/** @throws ApiError note_not_found */
async function noteNumbered(database: LeaderReader, { id, name }: Key, note: string): Promise<StoredNote> {
  const number = /^[1-9]\d{0,14}$/.test(note) ? Number(note) : 0;
  const stored = await notesOf(database, id).where('id', '=', number).executeTakeFirst();
  if (!stored) throw new ApiError('note_not_found', { note, experiment: name });
  return stored;
}

/** The unit may have been removed since. @throws ApiError note_invalid for an unknown unit */
async function expectKnownUnit(database: LeaderReader, { id, name }: Key, unit: string | null): Promise<void> {
  if (unit === null) return;
  const [worker, formerly] = await Promise.all([
    workerNamed(database, unit).executeTakeFirst(),
    database
      .selectFrom('assignment_history')
      .where('experiment_id', '=', id)
      .where('reactor_unit', '=', unit)
      .select('reactor_unit')
      .executeTakeFirst(),
  ]);
  if (worker !== undefined || formerly !== undefined) return;
  throw new ApiError('note_invalid', {
    cause: `'${unit}' is no worker of this leader, and was never in experiment '${name}'.`,
  });
}

/** The notes of experiments. Changes of volumes are passed on to `volumes`. */
export class Notes {
  readonly #context: Needs;
  readonly #volumes: VolumeNoteChanges;

  constructor(context: Needs, volumes: VolumeNoteChanges) {
    this.#context = context;
    this.#volumes = volumes;
  }

  /** A page, newest first. @throws ApiError experiment_not_found */
  async list(experiment: string, { skip = 0, limit = 100, kind, unit }: NoteQuery): Promise<ExperimentNote[]> {
    const { read } = this.#context.database;
    const key = await keyOf(read, experiment);
    let query = notesOf(read, key.id).limit(limit).offset(skip);
    if (kind !== undefined) query = query.where('kind', '=', kind);
    if (unit !== undefined) query = query.where('reactor_unit', '=', unit);
    return (await query.execute()).map((stored) => toNote(experiment, stored));
  }

  /** @throws ApiError note_invalid, experiment_not_found */
  create(experiment: string, creation: NoteCreation): Promise<ExperimentNote> {
    const now = this.#context.clock.now();
    const note = acceptedNote(creation, now);
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      await expectKnownUnit(transaction, key, note.reactor_unit);
      const stored = await transaction
        .insertInto('experiment_notes')
        .values({ experiment_id: key.id, ...note, created_at: now })
        .returning(columns)
        .executeTakeFirstOrThrow();
      await this.#announce(effects, key, note, noteAsLog(note), note.at);
      return toNote(experiment, stored);
    });
  }

  /** @throws ApiError nothing_to_change, note_invalid, note_not_found, experiment_not_found */
  update(experiment: string, number: string, change: NoteChange): Promise<ExperimentNote> {
    const now = this.#context.clock.now();
    if (Object.keys(change).length === 0) {
      throw new ApiError('nothing_to_change', { fields: 'kind, text, timestamp, author, reactor_unit, volume_ml' });
    }
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      const before = await noteNumbered(transaction, key, number);
      const note = acceptedNote(change, now, { ...before, kind: noteKindOf(before.kind) });
      if (note.reactor_unit !== before.reactor_unit) await expectKnownUnit(transaction, key, note.reactor_unit);
      const stored = await transaction
        .updateTable('experiment_notes')
        .set({ ...note, updated_at: now })
        .where('id', '=', before.id)
        .returning(columns)
        .executeTakeFirstOrThrow();
      await this.#announce(effects, key, note, `Note ${before.id} corrected: ${noteAsLog(note)}`);
      if (before.reactor_unit !== note.reactor_unit) this.#volumeChanged(effects, key, before);
      return toNote(experiment, stored);
    });
  }

  /** @throws ApiError note_not_found, experiment_not_found */
  remove(experiment: string, number: string): Promise<void> {
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      const before = await noteNumbered(transaction, key, number);
      await transaction.deleteFrom('experiment_notes').where('id', '=', before.id).execute();
      const note = { ...before, kind: noteKindOf(before.kind) };
      await this.#announce(effects, key, note, `Note ${before.id} removed: ${noteAsLog(note)}`);
    });
  }

  async #announce(effects: Effects, key: Key, note: Note, message: string, at?: number): Promise<void> {
    const { reactor_unit: unit } = note;
    effects.live('notes', key.name, { experiment: key.name });
    await effects.logEvent({
      experiment: key,
      level: 'INFO',
      message,
      task: 'note',
      ...(unit !== null && { unit }),
      ...(at !== undefined && { at }),
    });
    this.#volumeChanged(effects, key, note);
  }

  #volumeChanged(effects: Effects, { name }: Key, { reactor_unit: unit }: Pick<Note, 'reactor_unit'>): void {
    if (unit !== null) effects.afterCommit(() => this.#volumes.changed({ experiment: name, unit }));
  }
}
