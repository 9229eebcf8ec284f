import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** Type of a note: free text, or liquid that a person removed from a vial or added to it. */
export const NoteKind = Type.Union([Type.Literal('note'), Type.Literal('sample_taken'), Type.Literal('media_added')], {
  title: 'NoteKind',
});
export type NoteKind = Static<typeof NoteKind>;

/** The largest body of a request with a photo. */
export const notePhotoLimitBytes = 10 * 1024 * 1024;

/** Formats of photos, recognised by their first bytes. */
export const NotePhotoType = Type.Union(
  [Type.Literal('image/jpeg'), Type.Literal('image/png'), Type.Literal('image/webp')],
  { title: 'NotePhotoType' },
);
export type NotePhotoType = Static<typeof NotePhotoType>;

export const NotePhoto = closed(
  {
    content_type: NotePhotoType,
    bytes: Type.Integer({ minimum: 1 }),
    version: Type.String({ description: 'Changes when the photo is replaced' }),
  },
  { title: 'NotePhoto', description: 'GET …/notes/{note_id}/photo returns it' },
);
export type NotePhoto = Static<typeof NotePhoto>;

export const ExperimentNote = closed(
  {
    note_id: Type.Integer({ minimum: 1 }),
    experiment: Type.String(),
    timestamp: Timestamp,
    kind: NoteKind,
    text: Type.String(),
    author: Nullable(Type.String()),
    reactor_unit: Nullable(Type.String()),
    volume_ml: Nullable(Type.Number({ exclusiveMinimum: 0, description: 'Of a sample, or of added media' })),
    photo: Nullable(NotePhoto),
    created_at: Timestamp,
    updated_at: Nullable({ ...Timestamp, description: 'When it was last corrected' }),
    edited_by: Nullable(Type.String({ description: 'The account that corrected it last' })),
    version: Type.Integer({ minimum: 0, description: 'How often it was corrected; `based_on` of a correction' }),
  },
  { title: 'ExperimentNote' },
);
export type ExperimentNote = Static<typeof ExperimentNote>;

const author = Nullable(Type.String({ maxLength: 100 }));
const text = Type.String({ maxLength: 10_000 });
const volume = Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description: 'mL' }));

export const NoteCreation = closed(
  {
    kind: Type.Optional(NoteKind),
    text: Type.Optional(text),
    timestamp: Type.Optional(
      Nullable(Type.String({ maxLength: textLimit, description: 'RFC 3339, of the described event; default: now' })),
    ),
    author: Type.Optional(author),
    reactor_unit: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    volume_ml: Type.Optional(volume),
  },
  { title: 'NoteCreation' },
);
export type NoteCreation = Static<typeof NoteCreation>;

export const NoteChange = closed(
  {
    kind: Type.Optional(NoteKind),
    text: Type.Optional(text),
    timestamp: Type.Optional(Type.String({ maxLength: textLimit })),
    author: Type.Optional(author),
    reactor_unit: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    volume_ml: Type.Optional(volume),
    based_on: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The version that is corrected: refused when the present one differs' }),
    ),
  },
  { title: 'NoteChange', description: 'What is absent stays as it is' },
);
export type NoteChange = Static<typeof NoteChange>;

export const NoteQuery = Type.Object({
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'How many to leave out' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Notes of a page' })),
  kind: Type.Optional(NoteKind),
  unit: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only notes of this unit' })),
});
export type NoteQuery = Static<typeof NoteQuery>;
