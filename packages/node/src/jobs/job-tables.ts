import type { Migration } from '@lcs/platform';
import type { Generated } from 'kysely';

export interface JobTables {
  jobs: {
    job_id: Generated<number>;
    unit: string;
    experiment: string;
    experiment_uid: string | null;
    job_name: string;
    job_source: string;
    started_by: string | null;
    is_long_running: number;
    /** JSON of the request, to start it again. */
    request: string;
    started_at_ms: number;
    ended_at_ms: number | null;
    state: string;
    reason: string | null;
    error: string | null;
    /** Interrupted by the end of its node, without a decision yet. */
    resume_pending: number;
  };
  job_settings: { job_id: number; setting: string /** JSON. */; value: string; updated_at_ms: number };
  /** The settings that a job had at its end, one row for each job and automation. */
  job_last_used: {
    job_name: string;
    /** Empty: the job has no automations. */
    automation: string;
    /** JSON of the numbers, texts and booleans. */
    settings: string;
    /** Null: of a version that did not record it. */
    experiment: string | null;
    /** Null: of a version that did not record it. */
    job_source: string | null;
    ended_at_ms: number;
  };
  job_commands: { key: string; fingerprint: string /** JSON. */; answer: string; at_ms: number };
}

export const jobMigrations: readonly Migration[] = [
  {
    set: 'jobs',
    id: 1,
    name: 'jobs',
    up: `
      create table jobs (
        job_id integer primary key autoincrement,
        unit text not null,
        experiment text not null,
        experiment_uid text,
        job_name text not null,
        job_source text not null,
        is_long_running integer not null check (is_long_running in (0, 1)),
        request text not null,
        started_at_ms integer not null,
        ended_at_ms integer,
        state text not null check (state in ('init', 'ready', 'sleeping', 'disconnected', 'lost')),
        reason text,
        error text,
        resume_pending integer not null default 0 check (resume_pending in (0, 1)),
        check ((ended_at_ms is null) = (state in ('init', 'ready', 'sleeping')))
      ) strict;
      create index jobs_running on jobs (job_id) where ended_at_ms is null;
      create index jobs_to_resume on jobs (job_id) where resume_pending = 1;
      create index jobs_by_start on jobs (started_at_ms, job_id);
      create table job_settings (
        job_id integer not null references jobs (job_id),
        setting text not null,
        value text not null,
        updated_at_ms integer not null,
        primary key (job_id, setting)
      ) strict, without rowid;
      create table job_commands (
        key text primary key,
        fingerprint text not null,
        answer text not null,
        at_ms integer not null
      ) strict, without rowid;
      create index job_commands_by_age on job_commands (at_ms);
    `,
  },
  {
    set: 'jobs',
    id: 2,
    name: 'who started a job',
    up: 'alter table jobs add column started_by text;',
  },
  {
    set: 'jobs',
    id: 3,
    name: 'last used settings',
    up: `
      create table job_last_used (
        job_name text not null,
        automation text not null,
        settings text not null,
        ended_at_ms integer not null,
        primary key (job_name, automation)
      ) strict, without rowid;
    `,
  },
  {
    set: 'jobs',
    id: 4,
    name: 'experiment of last used settings',
    up: 'alter table job_last_used add column experiment text;',
  },
  {
    set: 'jobs',
    id: 5,
    name: 'source of last used settings',
    up: 'alter table job_last_used add column job_source text;',
  },
];
