import { FailedUnitOutcome, hasShape, isObject, type Json, PreparedJson } from '@lcs/contract';
import type { TaskRecord } from '@lcs/platform';
import type { NewAuditEntry } from './audit-entry.ts';

/** What an accepted command did not do. */
export interface TaskFailure {
  readonly status: number;
  readonly code: string;
  /** The units on which it failed; null: it did nothing anywhere. */
  readonly units: readonly string[] | null;
}

/** Of a failure that has no response of its own. */
const failedStatus = 500;

/** A status of a failure: the task itself was accepted (202), and failed later. */
export const statusOfFailure = (status: number | null): number =>
  status !== null && status >= 400 ? status : failedStatus;

/** A larger result is not read: it would hold the event loop, and it is not the result of a command to units. */
const longestResult = 262_144;

function resultOf({ result }: Extract<TaskRecord, { status: 'succeeded' }>): Json | undefined {
  if (!(result instanceof PreparedJson)) return result;
  return result.text.length > longestResult ? undefined : JSON.parse(result.text);
}

/** Why a task did not do what was requested, by its end; undefined: it did all of it, or has not ended. */
export function failureOfTask(task: TaskRecord): TaskFailure | undefined {
  if (task.status === 'failed') return { status: failedStatus, code: task.error.code ?? 'task_failed', units: null };
  const result = task.status === 'succeeded' ? resultOf(task) : undefined;
  if (!isObject(result)) return undefined;
  const outcomes = Object.values(result);
  const failed = outcomes.flatMap((outcome) => (hasShape(FailedUnitOutcome, outcome) ? [outcome] : []));
  const [first] = failed;
  if (first === undefined) return undefined;
  return {
    status: statusOfFailure(first.status_code),
    code: first.error.code ?? first.error.kind,
    units: failed.length === outcomes.length ? null : failed.map(({ unit }) => unit),
  };
}

/** The entry about the failure of an accepted request; it has the ID of the request. */
export const failureEntry = (
  accepted: NewAuditEntry,
  at: number,
  { units, ...failure }: TaskFailure,
): NewAuditEntry => ({
  ...accepted,
  ...failure,
  at,
  before: null,
  after: null,
  units: units === null ? accepted.units : JSON.stringify(units),
});
