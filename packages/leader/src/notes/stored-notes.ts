import { ApiError, type ExperimentNote, type NoteKind, type NotePhoto, type NotePhotoType } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import type { Note } from './note-rules.ts';

/** The notes of an experiment with their photos, newest first. */
export const notesOf = (database: LeaderReader, experimentId: number) =>
  database
    .selectFrom('experiment_notes as n')
    .leftJoin('note_photos as p', 'p.note_id', 'n.id')
    .where('n.experiment_id', '=', experimentId)
    .orderBy('n.at', 'desc')
    .orderBy('n.id', 'desc')
    .select([
      ...(['n.id', 'n.at', 'n.kind', 'n.text', 'n.author'] as const),
      ...(['n.reactor_unit', 'n.volume_ml', 'n.created_at', 'n.updated_at', 'n.edited_by', 'n.version'] as const),
      ...(['p.file', 'p.content_type', 'p.bytes', 'p.sha256'] as const),
    ]);

/** When a unit was in an experiment, oldest first. */
export const staysOf = (database: LeaderReader, experimentId: number, unit: string) =>
  database
    .selectFrom('assignment_history')
    .where('experiment_id', '=', experimentId)
    .where('reactor_unit', '=', unit)
    .orderBy('id')
    .select(['assigned_at', 'unassigned_at']);

/** The columns of a photo; null: the note has none. */
export interface StoredPhoto {
  readonly content_type: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export interface StoredNote extends Omit<Note, 'kind'>, StoredPhoto {
  readonly id: number;
  readonly kind: string;
  readonly created_at: number;
  readonly updated_at: number | null;
  readonly edited_by: string | null;
  readonly version: number;
  readonly file: string | null;
}

export const noteKindOf = (text: string): NoteKind =>
  text === 'sample_taken' || text === 'media_added' ? text : 'note';

export const photoTypeOf = (text: string): NotePhotoType =>
  text === 'image/png' || text === 'image/webp' ? text : 'image/jpeg';

/** 16 hex digits identify a version of a photo. */
const versionLength = 16;

export const shownPhoto = ({ content_type, bytes, sha256 }: StoredPhoto): NotePhoto | null =>
  content_type === null || bytes === null || sha256 === null
    ? null
    : { content_type: photoTypeOf(content_type), bytes, version: sha256.slice(0, versionLength) };

export const toNote = (
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
  photo: shownPhoto(stored),
  created_at: toTimestamp(created_at),
  updated_at: updated_at === null ? null : toTimestamp(updated_at),
  edited_by: stored.edited_by,
  version: stored.version,
});

/** The experiment of a note. */
export interface NoteKey {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly created_at: number;
  readonly ended_at: number | null;
}

/** @throws ApiError experiment_not_found */
export async function keyOf(database: LeaderReader, experiment: string): Promise<NoteKey> {
  const key = await experimentKey(database, experiment).select('ended_at').executeTakeFirst();
  if (!key) throw new ApiError('experiment_not_found', { experiment });
  return key;
}

/** @throws ApiError note_not_found */
export async function noteNumbered(
  database: LeaderReader,
  { id, name }: Pick<NoteKey, 'id' | 'name'>,
  note: string | number,
): Promise<StoredNote> {
  const number = /^[1-9]\d{0,14}$/.test(String(note)) ? Number(note) : 0;
  const stored = await notesOf(database, id).where('n.id', '=', number).executeTakeFirst();
  if (!stored) throw new ApiError('note_not_found', { note: String(note), experiment: name });
  return stored;
}
