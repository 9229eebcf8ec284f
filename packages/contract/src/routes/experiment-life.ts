import { Type } from 'typebox';
import { ExperimentNote, NoteChange, NoteCreation, NoteQuery, notePhotoLimitBytes } from '../resources/note.ts';
import { ReplicateGroup, ReplicateGroupsChange, ReplicateGroupsVersion } from '../resources/replicate-group.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { acknowledged, ok, unitAlias } from './answers.ts';

const shared = { tag: 'Experiments', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;
const read = { ...shared, method: 'GET', permission: 'experiments.read', cache: 'no-cache' } as const;
const write = { ...shared, permission: 'experiments.write', cache: 'no-store' } as const;

const groupsPath = '/api/experiments/{experiment}/replicate_groups';
const notesPath = '/api/experiments/{experiment}/notes';
const photoPath = `${notesPath}/{note_id}/photo` as const;

/** Which units are replicates of each other. */
export const replicateGroupRoutes = routes({
  listReplicateGroups: {
    ...read,
    path: groupsPath,
    summary: 'Groups of units that are replicates of each other',
    responses: ok(Type.Array(ReplicateGroup)),
    errors: ['experiment_not_found'],
  },
  replaceReplicateGroups: {
    ...write,
    method: 'PUT',
    path: groupsPath,
    summary: 'Replace the groups of replicates',
    description: 'A list that equals the present one changes nothing.',
    body: ReplicateGroupsChange,
    responses: ok(Type.Array(ReplicateGroup)),
    errors: ['experiment_not_found', 'groups_invalid'],
  },
  listReplicateGroupHistory: {
    ...read,
    path: `${groupsPath}/history`,
    summary: 'Earlier groups of replicates, newest first',
    responses: ok(Type.Array(ReplicateGroupsVersion)),
    errors: ['experiment_not_found'],
  },
});

/** The notes of an experiment. */
export const noteRoutes = routes({
  listNotes: {
    ...read,
    path: notesPath,
    summary: 'Notes of an experiment, newest first',
    query: NoteQuery,
    responses: ok(Type.Array(ExperimentNote)),
    errors: ['experiment_not_found'],
  },
  createNote: {
    ...write,
    method: 'POST',
    path: notesPath,
    summary: 'Write a note',
    description:
      '`sample_taken` and `media_added` need `volume_ml` and `reactor_unit`: the volume of that vial takes them into account. A sample is no more than the vial held by then; where no volume is known, no more than its capacity. The event log contains the note too. The unit must have been in the experiment at `timestamp` (a minute of tolerance); a note without a unit must not be older than the experiment.',
    body: NoteCreation,
    bodyAliases: unitAlias,
    responses: { 201: { description: 'Created', schema: ExperimentNote } },
    errors: ['experiment_not_found', 'note_invalid', 'note_outside_experiment'],
  },
  updateNote: {
    ...write,
    method: 'PATCH',
    path: `${notesPath}/{note_id}`,
    summary: 'Correct a note',
    description:
      'The author stays; `edited_by` is the account that corrected it. With `based_on` the correction is refused when the note has another version now.',
    body: NoteChange,
    bodyAliases: unitAlias,
    responses: ok(ExperimentNote),
    errors: [
      'experiment_not_found',
      'note_not_found',
      'note_changed',
      'note_invalid',
      'note_outside_experiment',
      'nothing_to_change',
    ],
  },
  deleteNote: {
    ...write,
    method: 'DELETE',
    path: `${notesPath}/{note_id}`,
    summary: 'Remove a note',
    responses: acknowledged,
    errors: ['experiment_not_found', 'note_not_found'],
  },
  getNotePhoto: {
    ...read,
    path: photoPath,
    summary: 'The photo of a note',
    description: 'The content type is `image/jpeg`, `image/png` or `image/webp`.',
    responses: { 200: { description: 'The picture', schema: Type.String(), contentType: 'image/jpeg' } },
    errors: ['experiment_not_found', 'note_not_found', 'note_photo_not_found'],
  },
  putNotePhoto: {
    ...write,
    method: 'PUT',
    path: photoPath,
    summary: 'Add or replace the photo of a note',
    description: 'The leader recognises JPEG, PNG and WebP by their first bytes, whatever the name of the file is.',
    upload: { field: 'photo', description: 'A JPEG, PNG or WebP picture', limitBytes: notePhotoLimitBytes },
    responses: ok(ExperimentNote),
    errors: ['experiment_not_found', 'note_not_found', 'note_photo_invalid', 'note_photos_full'],
  },
  deleteNotePhoto: {
    ...write,
    method: 'DELETE',
    path: photoPath,
    summary: 'Remove the photo of a note',
    responses: ok(ExperimentNote),
    errors: ['experiment_not_found', 'note_not_found', 'note_photo_not_found'],
  },
});
