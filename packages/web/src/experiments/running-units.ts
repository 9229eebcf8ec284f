import type { Assignment, LiveJob } from '@lcs/contract';
import { builtInJobs } from '@lcs/domain';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';

/** Runs on every node by itself: it does not make a unit busy. */
const monitorJob = 'monitor';

/** The jobs that a unit runs for its experiment, started by somebody; lost jobs too: the unit may still run them. */
export const jobsOfUnit = (jobs: readonly LiveJob[], unit: string, experiment: string): readonly LiveJob[] =>
  jobs.filter((job) => job.reactor_unit === unit && job.experiment === experiment && job.job_name !== monitorJob);

interface UnitFacts {
  readonly jobs: readonly LiveJob[];
  readonly assignments: readonly Assignment[];
}

/** Built-in jobs of procedures and of acts by hand: a calibration that waits for an answer, a single dose. They run no experiment. */
const passingJobs: ReadonlySet<string> = new Set(
  builtInJobs.flatMap(({ name, descriptor }) => (descriptor === null ? [name] : [])),
);

/** Whether a unit runs a job that belongs to its experiment. */
export const runsJob = (jobs: readonly LiveJob[], unit: string, experiment: string): boolean =>
  jobsOfUnit(jobs, unit, experiment).some((job) => !passingJobs.has(job.job_name) && isRunning(jobPhase(job)));

/** Those of some experiments of which a unit runs a job, and the others; both as lists show them. */
export function byActivity<Each extends { readonly experiment: string }>(
  experiments: readonly Each[],
  running: ReadonlySet<string>,
): readonly { readonly title: string; readonly experiments: readonly Each[] }[] {
  const groups = [
    { title: commonWords.running, experiments: experiments.filter(({ experiment }) => running.has(experiment)) },
    { title: commonWords.setUp, experiments: experiments.filter(({ experiment }) => !running.has(experiment)) },
  ];
  return groups.filter((group) => group.experiments.length > 0);
}

/** The experiments of which at least one unit runs a job. */
export const runningExperiments = ({ jobs, assignments }: UnitFacts): ReadonlySet<string> =>
  new Set(
    assignments.flatMap(({ reactor_unit, experiment }) =>
      experiment !== null && runsJob(jobs, reactor_unit, experiment) ? [experiment] : [],
    ),
  );

/** How many units of an experiment run a job. */
export const unitsThatRun = ({ jobs, assignments }: UnitFacts, experiment: string): number =>
  assignments.filter((each) => each.experiment === experiment && runsJob(jobs, each.reactor_unit, experiment)).length;

/** The state of an experiment that has active units: `Running`, `2 of 3 units run`, or that nothing runs: any more, or not yet. */
export function activityText(running: number, assigned: number, hasReadings: boolean): string {
  if (running === 0) return hasReadings ? startWords.stopped : startWords.setUpNothingRuns;
  return running >= assigned ? commonWords.running : startWords.ofUnitsRun(running, assigned);
}
