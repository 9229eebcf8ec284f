import {
  entriesOf,
  type FailedUnitOutcome,
  type FailureReason,
  type FinishedTask,
  failureReason,
  hasShape,
  ProblemError,
  type UnitOutcome,
  unitOutcomes,
} from '@lcs/contract';
import { forPeople } from '../api/plain-words.ts';
import { readable } from '../api/problem.ts';
import { tasksWords } from '../words/tasks.ts';
import { unconfirmedCode } from './unconfirmed-code.ts';

/** Why a command failed, and what to do; without a code where no unit or leader has sent an error. */
export type Refusal = Omit<FailureReason, 'code'> & Partial<Pick<FailureReason, 'code'>>;

const noAnswer: Refusal = tasksWords.noAnswer;

function refusalOf({
  error: { kind, message, cause = '', remediation = '', code, field },
}: FailedUnitOutcome): Refusal {
  if (kind === 'connection_error')
    return {
      error: tasksWords.unitCouldNotBeReached,
      cause: forPeople(message),
      remediation: tasksWords.unitSilentHelp,
    };
  return readable({
    error: message || tasksWords.unitGaveNoReason,
    cause,
    // The unit's remediation names fields of the API: people have a button.
    remediation: code === unconfirmedCode ? tasksWords.checkTargetAndItsScale : remediation,
    ...(code !== undefined && { code }),
    ...(field !== undefined && { field }),
  });
}

/** How a command ended at one unit. */
export type CommandOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

function commandOutcome(outcome: UnitOutcome | undefined): CommandOutcome {
  if (outcome === undefined) return { ok: false, refusal: noAnswer };
  return outcome.ok ? { ok: true, value: outcome.value } : { ok: false, refusal: refusalOf(outcome) };
}

/** How a command ended at each of `units`; null: at each unit of the task. */
export function commandOutcomes(
  task: FinishedTask,
  units: readonly string[] | null,
): ReadonlyMap<string, CommandOutcome> {
  if (task.status === 'failed') {
    const refusal = readable(failureReason(task));
    return new Map(units?.map((unit) => [unit, { ok: false, refusal }]));
  }
  const outcomes = unitOutcomes(task);
  return new Map((units ?? [...outcomes.keys()]).map((unit) => [unit, commandOutcome(outcomes.get(unit))]));
}

/** What a unit answered to a task. @throws ProblemError when the task or the unit failed */
export function reportOf(task: FinishedTask, unit: string): unknown {
  const outcome = unitOutcomes(task).get(unit);
  if (outcome?.ok) return outcome.value;
  const { message, cause, remediation } = outcome?.error ?? {};
  throw new ProblemError('answer', {
    error: message || tasksWords.unitSilent.error(unit),
    cause: cause || tasksWords.unitSilent.cause,
    remediation: remediation || tasksWords.unitSilent.remediation,
    code: 'unit_failed',
    status: 502,
  });
}

const unreadable = (unit: string): ProblemError =>
  new ProblemError('answer', {
    error: tasksWords.unreadable.error(unit),
    cause: tasksWords.unreadable.cause,
    remediation: tasksWords.unreadable.remediation,
    code: 'unexplained_answer',
    status: 502,
  });

type Schema = Parameters<typeof hasShape>[0];

/** What a unit answered to a task, in the declared shape. @throws ProblemError */
export function answerOf<const Shape extends Schema>(task: FinishedTask, unit: string, schema: Shape) {
  const value = reportOf(task, unit);
  if (hasShape(schema, value)) return value;
  throw unreadable(unit);
}

/** The entries of the list that a unit answered; an entry of another shape is left out. @throws ProblemError */
export function listOf<const Shape extends Schema>(task: FinishedTask, unit: string, schema: Shape) {
  const entries = entriesOf(schema, reportOf(task, unit));
  if (entries === undefined) throw unreadable(unit);
  return entries;
}
