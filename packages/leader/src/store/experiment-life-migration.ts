import type { Generated } from 'kysely';

/** The changes of the replicate groups of an experiment; the newest row is the present state. */
interface ReplicateGroupVersionsTable {
  id: Generated<number>;
  experiment_id: number;
  /** Milliseconds since 1970, like all times here. */
  at: number;
  /** JSON: an array of `{name, units}`. */
  groups: string;
}

/** The notes of an experiment. */
interface ExperimentNotesTable {
  id: Generated<number>;
  experiment_id: number;
  at: number;
  kind: string;
  text: string;
  author: string | null;
  reactor_unit: string | null;
  volume_ml: number | null;
  created_at: number;
  updated_at: number | null;
  edited_by: Generated<string | null>;
  /** How often it was corrected. */
  version: Generated<number>;
}

export interface ExperimentLifeTables {
  replicate_group_versions: ReplicateGroupVersionsTable;
  experiment_notes: ExperimentNotesTable;
}

/** Experiments that have ended or are archived, groups of replicates, notes; the author of a configuration. */
export const experimentLifeMigration = {
  set: 'experiment_life',
  id: 1,
  name: 'end and archive of experiments, replicate groups, notes, authors of configurations',
  up: `
    alter table experiments add column ended_at integer;
    alter table experiments add column archived_at integer;

    create table replicate_group_versions (
      id integer primary key autoincrement,
      experiment_id integer not null references experiments (id) on delete cascade,
      at integer not null,
      groups text not null
    ) strict;
    create index replicate_group_versions_by_experiment on replicate_group_versions (experiment_id, id desc);

    create table experiment_notes (
      id integer primary key autoincrement,
      experiment_id integer not null references experiments (id) on delete cascade,
      at integer not null,
      kind text not null check (kind in ('note', 'sample_taken', 'media_added')),
      text text not null,
      author text,
      reactor_unit text,
      volume_ml real check (volume_ml > 0),
      created_at integer not null,
      updated_at integer,
      check (kind = 'note' or (volume_ml is not null and reactor_unit is not null))
    ) strict;
    create index experiment_notes_by_time on experiment_notes (experiment_id, at desc, id desc);
    create index experiment_notes_by_unit on experiment_notes (experiment_id, reactor_unit, at, id)
      where volume_ml is not null;

    alter table config_histories add column author text;
  `,
} as const;

/** Who corrected a note last, and how often it was corrected. */
export const noteVersionsMigration = {
  set: 'experiment_life',
  id: 3,
  name: 'versions of notes',
  up: `
    alter table experiment_notes add column edited_by text;
    alter table experiment_notes add column version integer not null default 0;
    update experiment_notes set version = 1 where updated_at is not null;
  `,
} as const;
