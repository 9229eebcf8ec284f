import type { Assignment, LiveJob } from '@lcs/contract';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';

/** Runs on every node by itself: it does not make a unit busy. */
const monitorJob = 'monitor';

/** The jobs that a unit runs for its experiment, started by somebody; lost jobs too: the unit may still run them. */
export const jobsOfUnit = (jobs: readonly LiveJob[], unit: string, experiment: string): readonly LiveJob[] =>
  jobs.filter((job) => job.reactor_unit === unit && job.experiment === experiment && job.job_name !== monitorJob);

interface UnitFacts {
  readonly jobs: readonly LiveJob[];
  readonly assignments: readonly Assignment[];
}

/** Whether a unit runs a job of its experiment. */
export const runsJob = (jobs: readonly LiveJob[], unit: string, experiment: string): boolean =>
  jobsOfUnit(jobs, unit, experiment).some((job) => isRunning(jobPhase(job)));

/** How many units of an experiment run a job. */
export const unitsThatRun = ({ jobs, assignments }: UnitFacts, experiment: string): number =>
  assignments.filter((each) => each.experiment === experiment && runsJob(jobs, each.reactor_unit, experiment)).length;

/** The state of an experiment that has active units: `Running`, `2 of 3 units run`, or that nothing runs. */
export function activityText(running: number, assigned: number): string {
  if (running === 0) return 'Set up, nothing runs';
  return running >= assigned ? 'Running' : `${running} of ${assigned} units run`;
}
