import { type Static, Type } from 'typebox';
import { AlarmSeverity } from './alarm.ts';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';
import { NoteKind, NotePhoto } from './note.ts';

/** What happened in an experiment, by kind; entries of the same moment are in this order. */
export const TimelineKind = Type.Union(
  [
    Type.Literal('dose'),
    Type.Literal('setting'),
    Type.Literal('note'),
    Type.Literal('alarm'),
    Type.Literal('profile'),
    Type.Literal('interruption'),
    Type.Literal('action'),
  ],
  { title: 'TimelineKind' },
);
export type TimelineKind = Static<typeof TimelineKind>;
export const timelineKinds: readonly TimelineKind[] = TimelineKind.anyOf.map(({ const: kind }) => kind);

/** Which entries, newest first, page by page. */
export const TimelineQuery = Type.Object({
  kinds: Type.Optional(
    Type.String({ maxLength: 200, description: `Only these kinds, separated by commas: ${timelineKinds.join(', ')}` }),
  ),
  reactor_unit: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: 'Of this unit only' })),
  by: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only what this person or program did' })),
  since: Type.Optional(Type.String({ maxLength: 64, description: 'Of this moment (RFC 3339) or later' })),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'Before this moment (RFC 3339)' })),
  before: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Where the page begins: the header `x-next-before` of the previous page',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries of a page' })),
});
export type TimelineQuery = Static<typeof TimelineQuery>;

const volumeMl = Type.Number({ minimum: 0, description: 'mL' });

/** One entry of the timeline of an experiment; a field that its kind does not have is null. */
export const TimelineEntry = closed(
  {
    entry_id: Type.String({ description: 'Identifies it in this experiment' }),
    kind: TimelineKind,
    at: Timestamp,
    since: Nullable({ ...Timestamp, description: 'When it began, of an interruption; `at` is its end' }),
    until: Nullable({
      ...Timestamp,
      description: 'When it ended, of a setting or an alarm; null: it lasts, or it was a moment',
    }),
    reactor_unit: Nullable(Type.String({ description: 'null: the whole experiment' })),
    text: Type.String({ description: 'What happened' }),
    why: Nullable(Type.String({ description: 'The reason, of a dose or a step of a profile' })),
    by: Nullable(
      Type.String({
        description: 'Person or program that caused it; `user`: nobody was signed in (the audit has the address)',
      }),
    ),
    volumes_ml: Nullable(
      closed(
        { media: volumeMl, alt_media: volumeMl, waste: volumeMl },
        { description: 'Of a dose: what was pumped into the vial and out of it. All are 0 when it was refused' },
      ),
    ),
    refused: Type.Boolean({ description: 'A dose that was requested and not pumped' }),
    automation: Nullable(
      closed({
        kind: Type.String({ description: '`dosing`, `led` or `temperature`' }),
        name: Type.String(),
        settings: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    note: Nullable(
      closed({
        note_id: Type.Integer({ minimum: 1 }),
        kind: NoteKind,
        text: Type.String(),
        volume_ml: Nullable(Type.Number({ description: 'That a person took out of the vial or put into it' })),
        photo: Nullable(NotePhoto),
        version: Type.Integer({ minimum: 0, description: 'How often it was corrected' }),
        edited_at: Nullable({ ...Timestamp, description: 'When it was last corrected' }),
        edited_by: Nullable(Type.String({ description: 'The account that corrected it last' })),
      }),
    ),
    alarm_id: Nullable(Type.String()),
    severity: Nullable(AlarmSeverity, { description: 'Of an alarm; of a profile `error` where a step failed' }),
    run_id: Nullable(Type.String({ description: 'Of a profile' })),
    stops: Nullable(
      Type.Union([Type.Literal('everything'), Type.Literal('experiment')], {
        description:
          'Of an action that stops all jobs of all units, or of the experiment, its run of a profile included',
      }),
    ),
  },
  { title: 'TimelineEntry' },
);
export type TimelineEntry = Static<typeof TimelineEntry>;
