import { ApiError, type ExperimentNote, type NoteChange, type NoteCreation, type NoteQuery } from '@lcs/contract';
import type { Effects, LeaderContext } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { workerNamed } from '../queries/workers.ts';
import { acceptedNote, type Note, noteAsLog } from './note-rules.ts';
import { noteTimeFault } from './note-time.ts';
import type { PhotoFiles } from './photo-files.ts';
import { expectInVial, type SampleModels } from './sample-limit.ts';
import { keyOf, type NoteKey, noteKindOf, noteNumbered, notesOf, staysOf, toNote } from './stored-notes.ts';
import type { VolumeNoteChanges } from './volume-notes.ts';

type Needs = Pick<LeaderContext, 'change' | 'clock' | 'database'>;

/**
 * Expects that the unit was in the experiment at the time of the note; it may have been removed since.
 * @throws ApiError note_invalid for an unknown unit, note_outside_experiment
 */
async function expectInExperiment(database: LeaderReader, key: NoteKey, note: Note, now: number): Promise<void> {
  const { reactor_unit: unit, at: atMs } = note;
  const rows = unit === null ? [] : await staysOf(database, key.id, unit).execute();
  if (unit !== null && rows.length === 0 && !(await workerNamed(database, unit).executeTakeFirst())) {
    const cause = `'${unit}' is no worker of this leader, and was never in experiment '${key.name}'.`;
    throw new ApiError('note_invalid', { cause });
  }
  const stays = rows.map(({ assigned_at, unassigned_at }) => ({ fromMs: assigned_at, toMs: unassigned_at }));
  const experiment = { name: key.name, createdMs: key.created_at, endedMs: key.ended_at };
  const fault = noteTimeFault({ atMs, unit }, experiment, stays, now);
  if (fault !== undefined) throw new ApiError('note_outside_experiment', fault);
}

/** The notes of experiments. Changes of volumes are passed on to `volumes`. */
export class Notes {
  readonly #context: Needs;
  readonly #volumes: VolumeNoteChanges;
  readonly #files: Pick<PhotoFiles, 'removeSoon'>;
  readonly #models: SampleModels;

  constructor(context: Needs, volumes: VolumeNoteChanges, files: Pick<PhotoFiles, 'removeSoon'>, models: SampleModels) {
    this.#context = context;
    this.#volumes = volumes;
    this.#files = files;
    this.#models = models;
  }

  /** A page, newest first. @throws ApiError experiment_not_found */
  async list(experiment: string, { skip = 0, limit = 100, kind, unit }: NoteQuery): Promise<ExperimentNote[]> {
    const { read } = this.#context.database;
    const key = await keyOf(read, experiment);
    let query = notesOf(read, key.id).limit(limit).offset(skip);
    if (kind !== undefined) query = query.where('n.kind', '=', kind);
    if (unit !== undefined) query = query.where('n.reactor_unit', '=', unit);
    return (await query.execute()).map((stored) => toNote(experiment, stored));
  }

  /** @throws ApiError note_invalid, note_outside_experiment, experiment_not_found */
  create(experiment: string, creation: NoteCreation): Promise<ExperimentNote> {
    const now = this.#context.clock.now();
    const note = acceptedNote(creation, now);
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      await expectInExperiment(transaction, key, note, now);
      await expectInVial(transaction, this.#models, key.uid, note);
      const { id } = await transaction
        .insertInto('experiment_notes')
        .values({ experiment_id: key.id, ...note, created_at: now })
        .returning('id')
        .executeTakeFirstOrThrow();
      await this.#announce(effects, key, note, noteAsLog(note), note.at);
      return toNote(experiment, await noteNumbered(transaction, key, id));
    });
  }

  /**
   * `editor` is the account of the request; null while nobody has one.
   * @throws ApiError nothing_to_change, note_changed, note_invalid, note_outside_experiment, note_not_found, experiment_not_found
   */
  update(
    experiment: string,
    number: string,
    { based_on: basedOn, ...change }: NoteChange,
    editor: string | null,
  ): Promise<ExperimentNote> {
    const now = this.#context.clock.now();
    if (Object.keys(change).length === 0) {
      throw new ApiError('nothing_to_change', { fields: 'kind, text, timestamp, author, reactor_unit, volume_ml' });
    }
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      const before = await noteNumbered(transaction, key, number);
      if (basedOn !== undefined && basedOn !== before.version) {
        const { version, text, edited_by: by } = before;
        throw new ApiError('note_changed', { note: number, version, text, by });
      }
      const note = acceptedNote(change, now, { ...before, kind: noteKindOf(before.kind) });
      // The text of a note can be corrected although its experiment has been ended at an earlier time since.
      const isElsewhere = note.reactor_unit !== before.reactor_unit || note.at !== before.at;
      if (isElsewhere) await expectInExperiment(transaction, key, note, now);
      if (isElsewhere || note.kind !== before.kind || note.volume_ml !== before.volume_ml)
        await expectInVial(transaction, this.#models, key.uid, note);
      await transaction
        .updateTable('experiment_notes')
        .set({ ...note, updated_at: now, edited_by: editor, version: before.version + 1 })
        .where('id', '=', before.id)
        .execute();
      await this.#announce(effects, key, note, `Note ${before.id} corrected: ${noteAsLog(note)}`);
      if (before.reactor_unit !== note.reactor_unit) this.#volumeChanged(effects, key, before);
      return toNote(experiment, await noteNumbered(transaction, key, before.id));
    });
  }

  /** With its photo. @throws ApiError note_not_found, experiment_not_found */
  remove(experiment: string, number: string): Promise<void> {
    return this.#context.change(async (transaction, effects) => {
      const key = await keyOf(transaction, experiment);
      const before = await noteNumbered(transaction, key, number);
      await transaction.deleteFrom('experiment_notes').where('id', '=', before.id).execute();
      const { file } = before;
      if (file !== null) effects.afterCommit(() => this.#files.removeSoon([file]));
      const note = { ...before, kind: noteKindOf(before.kind) };
      await this.#announce(effects, key, note, `Note ${before.id} removed: ${noteAsLog(note)}`);
    });
  }

  async #announce(effects: Effects, key: NoteKey, note: Note, message: string, at?: number): Promise<void> {
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

  #volumeChanged(effects: Effects, { name }: NoteKey, { reactor_unit: unit }: Pick<Note, 'reactor_unit'>): void {
    if (unit !== null) effects.afterCommit(() => this.#volumes.changed({ experiment: name, unit }));
  }
}
