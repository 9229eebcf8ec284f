import { type Static, Type } from 'typebox';
import { closed, Flag, FlagInput, Nullable, Timestamp, textLimit } from './common.ts';

export const Experiment = closed(
  {
    experiment: Type.String({ description: 'Name; unique among the existing experiments, case-sensitive' }),
    created_at: Timestamp,
    description: Nullable(Type.String()),
    delta_hours: Type.Integer({ description: 'Whole hours since creation; negative when the clock was set back' }),
    worker_count: Type.Integer({ minimum: 0, description: 'Workers assigned now, inactive ones included' }),
    tags: Type.Array(Type.String()),
    ended_at: Type.Optional(Timestamp),
    created_by: Type.Optional(
      Type.String({
        description: 'Name of the account that created it. Only in lists with the query `creators`, and live',
      }),
    ),
    archived: Type.Optional(Type.Literal(true, { description: 'Absent when the experiment is not archived' })),
    protected: Type.Optional(
      Type.Literal(true, {
        description: 'Only owner, members and administrators act on it; absent when everybody may',
      }),
    ),
  },
  {
    title: 'Experiment',
    description:
      '`ended_at`, `archived` and `protected` are there only when the experiment has ended, was archived or is protected. Organism and medium are tags: `organism: …`, `media: …`.',
  },
);
export type Experiment = Static<typeof Experiment>;

export const ExperimentCreation = closed(
  {
    experiment: Type.String({ maxLength: textLimit, description: 'Name, 1 to 199 characters' }),
    description: Type.Optional(Nullable(Type.String({ maxLength: textLimit }))),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: textLimit }))),
    copy_from: Type.Optional(
      Type.String({
        maxLength: textLimit,
        minLength: 1,
        description:
          'Name of an experiment whose labels, replicate groups and choice of charts the new one takes over, and whose description and tags unless given here. Readings, notes, jobs and workers are not copied.',
      }),
    ),
    created_at: Type.Optional(
      Nullable(Type.String({ maxLength: textLimit, description: 'Ignored: the leader sets it' })),
    ),
    delta_hours: Type.Optional(Nullable(Type.Number({ description: 'Ignored' }))),
    worker_count: Type.Optional(Nullable(Type.Integer({ description: 'Ignored' }))),
  },
  { title: 'ExperimentCreation' },
);
export type ExperimentCreation = Static<typeof ExperimentCreation>;

export const ExperimentChange = closed(
  {
    description: Type.Optional(Nullable(Type.String({ maxLength: textLimit, description: 'null clears it' }))),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: textLimit }), { description: 'Replaces the whole list' })),
    ended_at: Type.Optional(
      Type.Union([Type.Literal(true), Type.String({ maxLength: textLimit }), Type.Null()], {
        description: 'true: it ends now; a time (RFC 3339): it ended then; null: it is running',
      }),
    ),
    keep_workers: Type.Optional(
      Type.Boolean({
        description: 'With an end: only its jobs are stopped, its workers stay assigned, so that nobody takes them yet',
      }),
    ),
    archived: Type.Optional(FlagInput),
  },
  { title: 'ExperimentChange' },
);
export type ExperimentChange = Static<typeof ExperimentChange>;

export const ExperimentQuery = Type.Object({
  ended: Type.Optional(Type.Boolean({ description: 'Only those that have ended, or have not' })),
  archived: Type.Optional(Type.Boolean({ description: 'Only those that were archived, or were not' })),
  creators: Type.Optional(Type.Boolean({ description: 'With `created_by`, where an account created it' })),
});

export const AssignmentCount = closed(
  { experiment: Type.String(), worker_count: Type.Integer({ minimum: 1 }) },
  { title: 'AssignmentCount' },
);
export type AssignmentCount = Static<typeof AssignmentCount>;

export const HistoricalAssignment = closed(
  {
    reactor_unit: Type.String(),
    experiment: Type.String(),
    is_currently_assigned_to_experiment: Flag,
  },
  { title: 'HistoricalAssignment' },
);
export type HistoricalAssignment = Static<typeof HistoricalAssignment>;

export const UnitLabels = Type.Record(Type.String(), Type.String(), {
  title: 'UnitLabels',
  description: 'Label of each labelled unit of the experiment, by unit name',
});
export type UnitLabels = Static<typeof UnitLabels>;

export const UnitLabelChange = closed(
  {
    unit: Type.String({ maxLength: textLimit }),
    label: Type.String({
      maxLength: textLimit,
      description: 'At most 100 characters; an empty or blank one removes the label',
    }),
  },
  { title: 'UnitLabelChange' },
);
export type UnitLabelChange = Static<typeof UnitLabelChange>;

const memberName = Type.String({ minLength: 1, maxLength: 64 });

export const ExperimentAccess = closed(
  {
    experiment: Type.String(),
    owner: Nullable(Type.String({ description: 'Name of a person; null: nobody, or a deleted one' })),
    created_by: Nullable(Type.String({ description: 'Name of the account that created it' })),
    is_protected: Type.Boolean(),
    members: Type.Array(Type.String({ description: 'Name of a person' })),
    may_act: Type.Boolean({
      description: 'Whether its protection allows the caller to act; permissions apply as well',
    }),
    may_change: Type.Boolean({ description: 'Whether the caller may change owner, members and protection' }),
  },
  { title: 'ExperimentAccess' },
);
export type ExperimentAccess = Static<typeof ExperimentAccess>;

export const ExperimentAccessChange = closed(
  {
    owner: Type.Optional(Nullable(memberName)),
    is_protected: Type.Optional(Type.Boolean()),
    members: Type.Optional(
      Type.Array(memberName, { maxItems: 200, uniqueItems: true, description: 'Replaces the whole list' }),
    ),
  },
  { title: 'ExperimentAccessChange', description: 'Absent fields keep their values' },
);
export type ExperimentAccessChange = Static<typeof ExperimentAccessChange>;
