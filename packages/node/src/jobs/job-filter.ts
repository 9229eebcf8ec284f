import type { JobOrigin, StopGroup } from './job-definition.ts';

/** Selects jobs: all given fields must be equal; an experiment includes its scratch experiment. */
export type JobFilter = {
  readonly jobName?: string;
  readonly experiment?: string;
  /** Jobs of an experiment that is unknown to the node never match. */
  readonly experimentUid?: string;
  readonly jobSource?: string;
  readonly jobId?: number;
  readonly isLongRunning?: boolean;
  /** Jobs of the leader that serve the whole cluster, or all others. */
  readonly servesCluster?: boolean;
  readonly stopGroup?: StopGroup;
};

export interface FilteredJob extends Omit<JobOrigin, 'jobId'> {
  /** Undefined: not assigned yet. */
  readonly jobId: number | undefined;
  readonly isLongRunning: boolean;
  readonly servesCluster: boolean;
  readonly stopGroup: StopGroup;
}

const fits = <Value>(wanted: Value | undefined, is: Value | undefined) => wanted === undefined || wanted === is;

/** Trial jobs of a unit do not belong to the experiment's record, but are stopped and changed with it. */
const isOf = (experiment: string | undefined, is: string): boolean =>
  experiment === undefined || is === experiment || is === `_testing_${experiment}`;

export function matchesJob(filter: JobFilter, job: FilteredJob): boolean {
  return (
    fits(filter.jobName, job.jobName) &&
    isOf(filter.experiment, job.experiment) &&
    fits(filter.experimentUid, job.experimentUid ?? undefined) &&
    (fits(filter.jobSource, job.jobSource) || filter.jobSource === job.resumedSource) &&
    fits(filter.jobId, job.jobId) &&
    fits(filter.isLongRunning, job.isLongRunning) &&
    fits(filter.servesCluster, job.servesCluster) &&
    fits(filter.stopGroup, job.stopGroup)
  );
}
