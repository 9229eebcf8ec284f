import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** The answer of every route that starts long work. */
export const AcceptedTask = closed(
  {
    unit: Type.String({ description: 'The node that owns the task' }),
    task_id: Type.String({ format: 'uuid' }),
    result_url_path: Type.String({ description: 'Poll this path on the same node' }),
    status: Type.Literal('accepted'),
  },
  { title: 'AcceptedTask' },
);
export type AcceptedTask = Static<typeof AcceptedTask>;

const identity = {
  task_id: Type.String({ format: 'uuid' }),
  result_url_path: Type.String(),
};
const origin = {
  started_by: Type.Optional(
    Nullable(
      Type.String({
        description: 'Person or program that requested it; null: the node itself, or nobody has an account',
      }),
    ),
  ),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
};

/** Queued (waiting for a lock is being queued too) or at work. */
export const UnfinishedTask = closed(
  {
    ...identity,
    status: Type.Union([Type.Literal('pending'), Type.Literal('running')]),
    progress: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    message: Nullable(Type.String()),
    ...origin,
  },
  { title: 'UnfinishedTask' },
);
export type UnfinishedTask = Static<typeof UnfinishedTask>;

export const SucceededTask = closed(
  {
    ...identity,
    status: Type.Literal('succeeded'),
    result: Type.Unknown(),
    message: Nullable(Type.String()),
    ...origin,
  },
  { title: 'SucceededTask' },
);

export const FailedTask = closed(
  {
    ...identity,
    status: Type.Literal('failed'),
    error: Type.String(),
    cause: Type.String(),
    remediation: Type.String(),
    code: Type.String(),
    field: Type.Optional(Type.String({ description: 'As in an error body' })),
    message: Nullable(Type.String()),
    ...origin,
  },
  { title: 'FailedTask' },
);
export type FailedTask = Static<typeof FailedTask>;

export const FinishedTask = Type.Union([SucceededTask, FailedTask], { title: 'FinishedTask' });
export type FinishedTask = Static<typeof FinishedTask>;

export type TaskRecord = UnfinishedTask | FinishedTask;

/** Why a unit has no result. */
export const FailedUnitOutcome = closed({
  ok: Type.Literal(false),
  unit: Type.String(),
  error: closed({
    kind: Type.String({
      description: 'connection_error, http_error, decode_error, task_failed, task_timeout, locked, …',
    }),
    message: Type.String(),
    cause: Type.Optional(Type.String()),
    remediation: Type.Optional(Type.String()),
    code: Type.Optional(Type.String({ description: 'Code of the error of the unit, if it has sent one' })),
    field: Type.Optional(Type.String({ description: 'As in the error body of the unit' })),
  }),
  status_code: Nullable(Type.Integer()),
  retryable: Type.Boolean(),
});
export type FailedUnitOutcome = Static<typeof FailedUnitOutcome>;

/** Outcome of one unit in the result of a task that addresses units. */
export const UnitOutcome = Type.Union([
  closed({ ok: Type.Literal(true), unit: Type.String(), value: Type.Unknown() }),
  FailedUnitOutcome,
]);
export type UnitOutcome = Static<typeof UnitOutcome>;
