import type { JobOrigin } from './job-definition.ts';

/** Which jobs are meant: all that is given must be equal; an experiment means its scratch experiment too. */
export type JobFilter = {
  readonly jobName?: string;
  readonly experiment?: string;
  /** Jobs whose experiment the node was never told about match none. */
  readonly experimentUid?: string;
  readonly jobSource?: string;
  readonly jobId?: number;
  readonly isLongRunning?: boolean;
  /** Jobs of the leader that serve the whole cluster, or all others. */
  readonly servesCluster?: boolean;
};

export interface FilteredJob extends Omit<JobOrigin, 'jobId'> {
  /** Undefined: it has none yet. */
  readonly jobId: number | undefined;
  readonly isLongRunning: boolean;
  readonly servesCluster: boolean;
}

const fits = <Value>(wanted: Value | undefined, is: Value | undefined) => wanted === undefined || wanted === is;

/** What a unit tries for itself is no part of an experiment's record, and is stopped and changed with it all the same. */
const isOf = (experiment: string | undefined, is: string): boolean =>
  experiment === undefined || is === experiment || is === `_testing_${experiment}`;

export function matchesJob(filter: JobFilter, job: FilteredJob): boolean {
  return (
    fits(filter.jobName, job.jobName) &&
    isOf(filter.experiment, job.experiment) &&
    fits(filter.experimentUid, job.experimentUid ?? undefined) &&
    fits(filter.jobSource, job.jobSource) &&
    fits(filter.jobId, job.jobId) &&
    fits(filter.isLongRunning, job.isLongRunning) &&
    fits(filter.servesCluster, job.servesCluster)
  );
}
