import { entriesOf, type FinishedTask, RunningJob } from '@lcs/contract';
import { type CommandOutcome, commandOutcomes } from '../tasks/unit-answers.ts';
import { keyOf, type PlannedEnds } from './start-again.ts';

/** The planned ends of running jobs, as units report them. */
export function plannedEnds(outcomes: ReadonlyMap<string, CommandOutcome>): PlannedEnds {
  const ends = new Map<string, string | null>();
  for (const [unit, outcome] of outcomes)
    for (const { experiment, job_name, ends_at } of (outcome.ok && entriesOf(RunningJob, outcome.value)) || [])
      ends.set(keyOf(unit, experiment, job_name), ends_at ?? null);
  return ends;
}

/** The same in what all units answered to a task. */
export const plannedEndsIn = (task: FinishedTask): PlannedEnds => plannedEnds(commandOutcomes(task, null));
