import { ApiError } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { changeWithTask } from '../core/tasks.ts';
import { stopJobsLater } from '../fleet/stop-jobs-later.ts';
import { closeAssignment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { assignmentOf, flagOf, workerNamed } from '../queries/workers.ts';
import { announceAssignment, announceExperiment } from './announce.ts';
import type { AssignmentTasks } from './assignment-tasks.ts';
import { freeWorkers } from './free-workers.ts';

/**
 * Unassigns one worker; its jobs of that experiment are stopped in the background.
 * @throws ApiError worker_unknown, worker_not_in_experiment (also for an unknown experiment)
 */
export async function unassignWorker(context: LeaderContext, experiment: string, unit: string): Promise<void> {
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const worker = await workerNamed(transaction, unit).executeTakeFirst();
    if (!worker) throw new ApiError('worker_unknown', { unit });
    const assigned = await assignmentOf(transaction, unit).executeTakeFirst();
    if (assigned?.name !== experiment) throw new ApiError('worker_not_in_experiment', { unit, experiment });

    await closeAssignment(transaction, unit, now);
    effects.afterCommit(() => context.desired.refresh([unit]));

    announceAssignment(
      effects,
      { reactor_unit: unit, is_active: flagOf(worker.is_active), experiment: null, assigned_at: null },
      now,
    );
    await announceExperiment(transaction, effects, experiment, now);
    await effects.logEvent({
      experiment: assigned,
      level: 'INFO',
      message: `Unassigned ${unit} from ${experiment}.`,
      task: 'assignment',
    });
    effects.afterCommit(() => stopJobsLater(context, { unit, request: { experiment }, experiment: assigned }));
  });
}

/**
 * Unassigns all workers of an experiment, and begins the task that stops its jobs.
 * @returns the id of the task
 * @throws ApiError experiment_not_found
 */
export function unassignWorkersOf(context: LeaderContext, kinds: AssignmentTasks, experiment: string): Promise<string> {
  const now = context.clock.now();
  return changeWithTask(context, kinds.stopExperimentJobs, { experiment }, async (transaction, effects) => {
    const key = await experimentKey(transaction, experiment).executeTakeFirst();
    if (!key) throw new ApiError('experiment_not_found', { experiment });
    await freeWorkers(context, transaction, effects, key.id, now);
    await announceExperiment(transaction, effects, experiment, now);
    await effects.logEvent({
      experiment: key,
      level: 'INFO',
      message: `Unassigned all workers from ${experiment}.`,
      task: 'assignment',
    });
  });
}

/**
 * Unassigns all workers of all experiments, and begins the task that stops all jobs.
 * @returns the id of the task
 */
export function unassignAllWorkers(context: LeaderContext, kinds: AssignmentTasks): Promise<string> {
  const now = context.clock.now();
  return changeWithTask(context, kinds.stopAllJobs, null, async (transaction, effects) => {
    const experiments = await transaction
      .selectFrom('assignments')
      .innerJoin('experiments', 'experiments.id', 'assignments.experiment_id')
      .select(['experiments.id', 'experiments.name'])
      .distinct()
      .orderBy('experiments.id')
      .execute();
    for (const { id, name } of experiments) {
      await freeWorkers(context, transaction, effects, id, now);
      await announceExperiment(transaction, effects, name, now);
    }
    await effects.logEvent({ level: 'INFO', message: 'Unassigned all workers.', task: 'unassignment' });
  });
}
