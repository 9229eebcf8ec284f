import { type FailedUnitOutcome, ownValue } from '@lcs/contract';
import type { JobsOfExperiment, LeaderContext, StopRequest } from '../core/leader-context.ts';
import { orderMissedStops } from './missed-stops.ts';

type Needs = Pick<LeaderContext, 'fleet' | 'change' | 'log' | 'desired'>;

export interface JobsToStop {
  readonly unit: string;
  readonly request: StopRequest;
  /** The experiment whose event log gets a failure; absent: that of the cluster. */
  readonly experiment?: { readonly id: number; readonly name: string };
}

/**
 * Requests a unit to stop jobs, in the background. It never throws; a failure becomes a warning in the event log, because the jobs may still
 * run. A unit that was unreachable receives an order to stop them when it returns.
 */
export function stopJobsLater(context: Needs, jobs: JobsToStop): void {
  const { unit, request } = jobs;
  context.fleet
    .stopJobs([unit], request)
    .then((outcomes) => orderMissedStops(context, outcomes, jobsOf(request)))
    .then(async (outcomes) => {
      const outcome = ownValue(outcomes, unit);
      if (outcome && !outcome.ok) await logFailure(context, jobs, outcome.error);
    })
    .catch((error: unknown) => context.log.error('jobs of a unit may still run', { unit, request, error }));
}

/** The body of a request to stop jobs. */
export const jobsOf = (request: StopRequest): JobsOfExperiment => ({
  experiment: request === 'all' ? null : request.experiment,
  jobName: null,
});

function logFailure(
  { change }: Needs,
  jobs: JobsToStop,
  { message, cause }: FailedUnitOutcome['error'],
): Promise<void> {
  const { unit, request, experiment } = jobs;
  const what = request === 'all' ? 'all jobs' : `the jobs of ${request.experiment}`;
  const why = cause === undefined || cause === message ? message : `${message} ${cause}`;
  return change(async (_, { logEvent }) =>
    logEvent({
      ...(experiment ? { experiment } : {}),
      level: 'WARNING',
      message: `Could not stop ${what} on ${unit}: they may still run. ${why}`,
      task: 'stop_jobs',
    }),
  );
}
