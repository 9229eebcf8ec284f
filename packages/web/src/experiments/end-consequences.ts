import type { Assignment, LiveJob, UnitStatus } from '@lcs/contract';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';

/** What runs in an experiment. */
export interface RunningJobs {
  /** Its units, in natural order. */
  readonly units: readonly string[];
  readonly jobs: number;
  /** Units on which jobs run. */
  readonly busy: number;
  /** Units that do not answer now. */
  readonly offline: readonly string[];
}

const naturally = new Intl.Collator('en', { numeric: true });

/** What the end of an experiment stops. A job that only watches the machine is of no experiment. */
export function runningJobsOf(
  experiment: string,
  jobs: readonly Pick<LiveJob, 'experiment' | 'reactor_unit'>[],
  assignments: readonly Pick<Assignment, 'experiment' | 'reactor_unit'>[],
  statuses: readonly Pick<UnitStatus, 'liveness' | 'reactor_unit'>[],
): RunningJobs {
  const units = assignments
    .filter((each) => each.experiment === experiment)
    .map(({ reactor_unit }) => reactor_unit)
    .sort(naturally.compare);
  const own = jobs.filter((job) => job.experiment === experiment);
  const online = new Set(statuses.flatMap((each) => (each.liveness === 'online' ? [each.reactor_unit] : [])));
  return {
    units,
    jobs: own.length,
    busy: new Set(own.map(({ reactor_unit }) => reactor_unit)).size,
    offline: statuses.length === 0 ? [] : units.filter((unit) => !online.has(unit)),
  };
}

/** `6 jobs on 2 units stop at once: …` */
export function runningJobsText({ jobs, busy }: RunningJobs): string {
  if (jobs === 0) return experimentsWords.noJobRuns;
  return experimentsWords.jobsStopAtOnce(jobs, commonWords.unitCount(busy));
}
