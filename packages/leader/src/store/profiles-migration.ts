import type { Generated } from 'kysely';
import { instant } from './views-migration.ts';

/** A time in milliseconds since 1970 UTC. */
type Moment = number;

interface ProfileRunsTable {
  id: Generated<number>;
  /** Identifies the run for ever, also in keys of commands to units. */
  uid: string;
  experiment_id: number;
  started_at: Moment;
  experiment_profile_name: string;
  profile_filename: string;
  /** The text at the start of the run: later changes concern later runs. */
  profile_text: string;
  is_dry_run: number;
  /** JSON arrays of units, fixed at the start of the run: those of the common jobs, and those with their own block. */
  common_units: string;
  own_units: string;
  /** The first job that executed it: the source of all jobs that it starts. */
  first_job_id: number;
  /** Name of the person or program that began it; null: nobody has an account. */
  started_by: string | null;
  /** Its total pause less the time that was skipped, in milliseconds: its steps are this much later. */
  paused_for: Generated<number>;
  /** While it is paused: its own time so far, in milliseconds. */
  paused_after: Generated<number | null>;
  /** JSON of the key of the missed action about which it asks; it is paused. */
  asks_about: Generated<string | null>;
  /** What was due before this time of the profile is skipped, in milliseconds. */
  skipped_to: Generated<number | null>;
  /** Who requested it. */
  skipped_by: Generated<string | null>;
  /** JSON of the versions and the active calibrations at its start. */
  began_with: Generated<string | null>;
  /** JSON of the check before its start. */
  preflight: Generated<string | null>;
  /** Set when it was stopped, before its jobs are. */
  stopping_at: Moment | null;
  ended_at: Moment | null;
  outcome: string | null;
}

/** Steps that need not be executed any more, of runs that versions before 26.12 have begun. */
interface ProfileStepsTable {
  run_id: number;
  /** The position in the plan of the run. */
  position: number;
  at: Moment;
  /** `done`, `failed`, `skipped`, `missed`. */
  outcome: string;
}

/** Actions, loops and waits of a run that are settled, or about to take effect. */
interface ProfileItemsTable {
  run_id: number;
  reactor_unit: string;
  /** Path in the profile. */
  path: string;
  /** Of the loop that it is, or that encloses it, from 0. */
  iteration: number;
  /** Time of the profile at which it was due, in milliseconds. */
  planned_ms: number;
  /** Time of the profile at which it was settled, in milliseconds. */
  settled_ms: number | null;
  at: Moment;
  /** Null: about to take effect. */
  outcome: string | null;
  /** JSON of the values of its expressions, written before it takes effect: a restart must not evaluate them again. */
  evaluated: string | null;
  /** Why it had this outcome. */
  reason: string | null;
}

/** Pauses and skips of a run, and its questions. */
interface ProfileChangesTable {
  id: Generated<number>;
  run_id: number;
  at: Moment;
  /** `paused`, `resumed`, `skipped`, `asked`. */
  kind: string;
  account: string | null;
  /** JSON of the key of the skipped item, or of that about which it asks. */
  item: string | null;
}

export interface ProfileTables {
  profile_changes: ProfileChangesTable;
  profile_runs: ProfileRunsTable;
  profile_steps: ProfileStepsTable;
  profile_items: ProfileItemsTable;
}

const runTables = `    create table profile_runs (
      id integer primary key autoincrement,
      uid text not null unique,
      experiment_id integer not null references experiments (id) on delete cascade,
      started_at integer not null,
      experiment_profile_name text not null,
      profile_filename text not null,
      profile_text text not null,
      is_dry_run integer not null check (is_dry_run in (0, 1)),
      common_units text not null,
      own_units text not null,
      first_job_id integer not null,
      paused_for integer not null default 0,
      paused_after integer,
      stopping_at integer,
      ended_at integer,
      outcome text check (outcome in ('finished', 'stopped', 'failed')),
      check ((ended_at is null) = (outcome is null))
    ) strict;
    create index profile_runs_by_experiment on profile_runs (experiment_id, started_at desc, id desc);
    create index profile_runs_open on profile_runs (id) where ended_at is null;

    create table profile_steps (
      run_id integer not null references profile_runs (id) on delete cascade,
      position integer not null,
      at integer not null,
      outcome text not null check (outcome in ('done', 'failed', 'skipped', 'missed')),
      primary key (run_id, position)
    ) strict, without rowid;`;

/** Runs of experiment profiles, which continue after a restart. */
export const profilesMigration = {
  set: 'profiles',
  id: 1,
  name: 'runs of profiles',
  upPostgres: runTables,
  up: `
${runTables}

    drop view experiment_profile_runs;
    create view experiment_profile_runs as
    select e.name as experiment, ${instant('r.started_at')} as started_at,
      r.experiment_profile_name as experiment_profile_name
    from profile_runs r join experiments e on e.id = r.experiment_id and e.deleting_at is null;
  `,
} as const;

export const profileAccountsMigration = {
  set: 'profiles',
  id: 2,
  name: 'who began a run of a profile',
  up: 'alter table profile_runs add column started_by text;',
} as const;

export const profileItemsMigration = {
  set: 'profiles',
  id: 3,
  name: 'actions, loops and waits of profiles',
  up: `
    create table profile_items (
      run_id integer not null references profile_runs (id) on delete cascade,
      reactor_unit text not null,
      path text not null,
      iteration integer not null,
      planned_ms integer not null,
      settled_ms integer,
      at integer not null,
      outcome text check (outcome in ('done', 'failed', 'skipped', 'missed', 'entered', 'ended', 'held')),
      evaluated text,
      reason text,
      check ((settled_ms is null) = (outcome is null)),
      primary key (run_id, reactor_unit, path, iteration)
    ) strict, without rowid;
  `,
} as const;

export const profileControlsMigration = {
  set: 'profiles',
  id: 4,
  name: 'pauses, skips and questions of runs of profiles; versions and calibrations at their start',
  up: `
    alter table profile_runs add column asks_about text;
    alter table profile_runs add column skipped_to integer;
    alter table profile_runs add column skipped_by text;
    alter table profile_runs add column began_with text;

    create table profile_changes (
      id integer primary key,
      run_id integer not null references profile_runs (id) on delete cascade,
      at integer not null,
      kind text not null check (kind in ('paused', 'resumed', 'skipped', 'asked')),
      account text,
      item text
    ) strict;
    create index profile_changes_by_run on profile_changes (run_id);
  `,
} as const;

export const profilePreflightMigration = {
  set: 'profiles',
  id: 5,
  name: 'the check before a run of a profile',
  up: 'alter table profile_runs add column preflight text;',
} as const;

export const profileItemTimesMigration = {
  set: 'profiles',
  id: 6,
  name: 'the actions of runs of profiles by time',
  up: 'create index profile_items_by_time on profile_items (run_id, at) where outcome is not null;',
} as const;
