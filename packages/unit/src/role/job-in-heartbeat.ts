import type { FeedJob } from '@lcs/contract';
import type { JobRuntime } from '@lcs/platform';

/** A running job as the leader hears of it with each answer. */
export function jobInHeartbeat({ origin, state }: ReturnType<JobRuntime['running']>[number]): FeedJob {
  return {
    job_id: origin.jobId,
    job_name: origin.jobName,
    experiment: origin.experiment,
    experiment_uid: origin.experimentUid,
    // A job that has ended is not among the running ones.
    state: state.kind === 'ready' || state.kind === 'sleeping' ? state.kind : 'init',
    since: Math.floor(state.sinceMs),
  };
}
