import { type ErrorCode, type FinishedTask, failureReason, hasShape, StoppedJobs } from '@lcs/contract';
import { type CommandOutcome, commandOutcomes } from './unit-answers.ts';
import type { StopReport, UnitCommand } from './unit-command.ts';

/** `unit2` before `unit10`. */
const naturally = new Intl.Collator('en', { numeric: true });

/** The error of a start where the job runs: what was wanted is so. */
const alreadyRunningCode: ErrorCode = 'job_already_running';

/** Where something was stopped; undefined: it was no stop. */
function stopReport(
  outcomes: readonly (readonly [string, CommandOutcome])[],
  nameOf: (unit: string) => string,
): StopReport | undefined {
  const answers = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok && hasShape(StoppedJobs, outcome.value)
      ? [{ unit: nameOf(unit), count: outcome.value.stopped.length }]
      : [],
  );
  if (answers.length === 0) return undefined;
  const of = (isStopped: boolean): readonly string[] =>
    answers
      .filter(({ count }) => count > 0 === isStopped)
      .map(({ unit }) => unit)
      .sort(naturally.compare);
  return { stopped: of(true), idle: of(false) };
}

/**
 * The end of a command: done only when every unit reports success; the others are named with their reasons.
 * @param addressed the units whose outcomes count; null: every unit of the task
 */
export function endedCommand(
  what: string,
  task: FinishedTask,
  addressed: readonly string[] | null,
  nameOf: (unit: string) => string,
): UnitCommand {
  if (addressed === null && task.status === 'failed')
    return { phase: 'failed', what, refusals: [{ unit: null, ...failureReason(task) }] };
  const outcomes = [...commandOutcomes(task, addressed)];
  const others = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok ? [] : [{ unit: nameOf(unit), unitId: unit, ...outcome.refusal }],
  );
  const refusals = others.filter(({ code }) => code !== alreadyRunningCode);
  const already = others
    .filter(({ code }) => code === alreadyRunningCode)
    .map(({ unit }) => unit)
    .sort(naturally.compare);
  const stops = stopReport(outcomes, nameOf);
  const counts = { units: outcomes.length, ...(stops && { stops }), ...(already.length > 0 && { already }) };
  return refusals.length === 0 ? { phase: 'done', what, ...counts } : { phase: 'failed', what, refusals, ...counts };
}
