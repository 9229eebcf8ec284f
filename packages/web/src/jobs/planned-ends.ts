import { entriesOf, type FinishedTask, RunningJob } from '@lcs/contract';
import { type CommandOutcome, commandOutcomes } from '../tasks/unit-answers.ts';
import { keyOf } from './start-again.ts';

/** The planned ends of running jobs, as units report them. */
export function plannedEnds(outcomes: ReadonlyMap<string, CommandOutcome>): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  for (const [unit, outcome] of outcomes)
    for (const { experiment, job_name, ends_at } of (outcome.ok && entriesOf(RunningJob, outcome.value)) || [])
      if (ends_at !== undefined) ends.set(keyOf(unit, experiment, job_name), ends_at);
  return ends;
}

/** The same in what all units answered to a task. */
export const plannedEndsIn = (task: FinishedTask): ReadonlyMap<string, string> =>
  plannedEnds(commandOutcomes(task, null));
