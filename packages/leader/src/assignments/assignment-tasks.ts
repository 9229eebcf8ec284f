import type { Json, UnitOutcome } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import type { LeaderContext, StopRequest } from '../core/leader-context.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import { jobsOf } from '../fleet/stop-jobs-later.ts';
import { workerNames } from '../queries/workers.ts';

type Needs = Pick<LeaderContext, 'database' | 'fleet' | 'desired'>;

/** Outcomes hold what units sent as JSON, so they are JSON; only their type does not say it. */
const asJson = (outcomes: Readonly<Record<string, UnitOutcome>>): Json => JSON.parse(JSON.stringify(outcomes));

export interface AssignmentTasks {
  readonly stopExperimentJobs: TaskKind<{ readonly experiment: string }>;
  readonly stopAllJobs: TaskKind<null>;
}

/**
 * The tasks behind the two routes that free many workers at once: every worker of the inventory is asked, whether it was
 * assigned or not, so that nothing that was left running is missed. Asking again after a restart does no harm.
 */
export const assignmentTasks = (context: Needs): AssignmentTasks => ({
  stopExperimentJobs: {
    kind: 'stop_experiment_jobs',
    lane: 'stop',
    resumable: true,
    run: async ({ experiment }) => asJson(await stopOnAll(context, { experiment })),
  },
  stopAllJobs: {
    kind: 'stop_all_jobs',
    lane: 'stop',
    resumable: true,
    run: async () => asJson(await stopOnAll(context, 'all')),
  },
});

async function stopOnAll(context: Needs, request: StopRequest): Promise<Readonly<Record<string, UnitOutcome>>> {
  const outcomes = await context.fleet.stopJobs(await workerNames(context.database.read), request);
  return orderMissedStops(context, outcomes, jobsOf(request));
}
