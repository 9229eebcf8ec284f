import { type FinishedTask, failureReason } from '@lcs/contract';
import { commandOutcomes } from './unit-answers.ts';
import type { UnitCommand } from './unit-command.ts';

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
  const refusals = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok ? [] : [{ unit: nameOf(unit), unitId: unit, ...outcome.refusal }],
  );
  const units = outcomes.length;
  return refusals.length === 0 ? { phase: 'done', what, units } : { phase: 'failed', what, refusals, units };
}
