import type { Json, UnitOutcome } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import type { LeaderContext, StopRequest } from '../core/leader-context.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import { jobsOf } from '../fleet/stop-jobs-later.ts';
import { workerNames } from '../queries/workers.ts';

type Needs = Pick<LeaderContext, 'database' | 'fleet' | 'desired'>;

/** Outcomes contain the JSON of units; only their type does not express it. */
const asJson = (outcomes: Readonly<Record<string, UnitOutcome>>): Json => JSON.parse(JSON.stringify(outcomes));

export interface AssignmentTasks {
  readonly stopExperimentJobs: TaskKind<{ readonly experiment: string }>;
  readonly stopAllJobs: TaskKind<null>;
}

/**
 * The tasks of the two routes that free many workers: the leader sends the command to every worker of the inventory, assigned or not, so
 * that it misses no running job. Repeating the command after a restart does no harm.
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
