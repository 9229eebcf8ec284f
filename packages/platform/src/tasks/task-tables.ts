import type { Generated, Selectable } from 'kysely';
import type { Migration } from '../store/migrations.ts';
import { resultOf, type TaskRecord, type TaskStatus } from './task-record.ts';

export interface TaskTables {
  tasks: {
    /** The order of submission. */
    seq: Generated<number>;
    id: string;
    kind: string;
    /** JSON array of lock names. */
    locks: string;
    /** JSON. */
    input: string;
    status: TaskStatus;
    progress: number | null;
    message: string | null;
    /** JSON. */
    result: string | null;
    /** JSON of a FailureReason. */
    error: string | null;
    cancel_requested: number;
    started_by: string | null;
    created_at_ms: number;
    started_at_ms: number | null;
    finished_at_ms: number | null;
  };
}

export const taskMigrations: readonly Migration[] = [
  {
    set: 'tasks',
    id: 1,
    name: 'tasks',
    up: `
      create table tasks (
        seq integer primary key autoincrement,
        id text not null unique,
        kind text not null,
        locks text not null,
        input text not null,
        status text not null check (status in ('pending', 'running', 'succeeded', 'failed')),
        progress real,
        message text,
        result text,
        error text,
        cancel_requested integer not null default 0 check (cancel_requested in (0, 1)),
        created_at_ms integer not null,
        started_at_ms integer,
        finished_at_ms integer,
        check ((finished_at_ms is null) = (status in ('pending', 'running'))),
        check ((result is null) = (status <> 'succeeded')),
        check ((error is null) = (status <> 'failed'))
      ) strict;
      create index tasks_unfinished on tasks (seq) where finished_at_ms is null;
      create index tasks_by_finish on tasks (finished_at_ms, seq) where finished_at_ms is not null;
    `,
  },
  {
    set: 'tasks',
    id: 2,
    name: 'who started a task',
    up: 'alter table tasks add column started_by text;',
  },
];

export type TaskRow = Selectable<TaskTables['tasks']>;

export const recordOf = (row: TaskRow): TaskRecord => {
  const facts = {
    taskId: row.id,
    kind: row.kind,
    locks: JSON.parse(row.locks),
    progress: row.progress,
    message: row.message,
    cancelRequested: row.cancel_requested === 1,
    startedBy: row.started_by,
    createdAt: row.created_at_ms,
    startedAt: row.started_at_ms,
  };
  const { status, result, error, finished_at_ms: finishedAt } = row;
  if (finishedAt === null && (status === 'pending' || status === 'running')) return { ...facts, status, finishedAt };
  if (finishedAt !== null && result !== null)
    return { ...facts, status: 'succeeded', result: resultOf(result), finishedAt };
  if (finishedAt !== null && error !== null)
    return { ...facts, status: 'failed', error: JSON.parse(error), finishedAt };
  throw new Error(`The record of task ${row.id} is incomplete.`);
};
