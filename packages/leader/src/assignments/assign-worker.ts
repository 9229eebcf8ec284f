import { ApiError } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { stopJobsLater } from '../fleet/stop-jobs-later.ts';
import { closeAssignment, openAssignment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { unitLabelled } from '../queries/unit-labels.ts';
import { assignmentOf, flagOf, workerNamed } from '../queries/workers.ts';
import { announceAssignment, announceExperiment } from './announce.ts';
import { reopenExperiment } from './reopen-experiment.ts';

/**
 * Assigns a worker to an experiment. A worker of another experiment moves, and its jobs there are stopped in the background. An experiment
 * that has ended is reopened, also by one of the workers that it kept. Repeating an assignment changes and publishes nothing else. A name
 * that is the label of another unit there is allowed, and logged.
 * @throws ApiError worker_unknown, experiment_not_found
 */
export async function assignWorker(context: LeaderContext, experiment: string, unit: string): Promise<void> {
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const worker = await workerNamed(transaction, unit).executeTakeFirst();
    if (!worker) throw new ApiError('worker_unknown', { unit });
    const next = await experimentKey(transaction, experiment).executeTakeFirst();
    if (!next) throw new ApiError('experiment_not_found', { experiment });
    const previous = await assignmentOf(transaction, unit).executeTakeFirst();
    const isReopened = await reopenExperiment(transaction, effects, next);
    if (previous?.id === next.id) {
      if (isReopened) await announceExperiment(transaction, effects, next.name, now);
      return;
    }

    if (previous) await closeAssignment(transaction, unit, now);
    await openAssignment(transaction, unit, next, now);
    effects.afterCommit(() => context.desired.refresh([unit]));

    announceAssignment(
      effects,
      { reactor_unit: unit, is_active: flagOf(worker.is_active), experiment: next.name, assigned_at: now },
      now,
    );
    await announceExperiment(transaction, effects, next.name, now);
    await effects.logEvent({
      experiment: next,
      level: 'INFO',
      message: previous
        ? `Assigned ${unit} to ${next.name}, from ${previous.name}.`
        : `Assigned ${unit} to ${next.name}.`,
      task: 'assignment',
    });
    const labelled = await unitLabelled(transaction, next.id, unit);
    if (labelled !== undefined) {
      await effects.logEvent({
        experiment: next,
        level: 'WARNING',
        message: `${unit} looks like ${labelled}, which has this name as its label in ${next.name}. Give ${labelled} another label.`,
        task: 'assignment',
      });
    }
    if (!previous) return;
    await announceExperiment(transaction, effects, previous.name, now);
    effects.afterCommit(() =>
      stopJobsLater(context, { unit, request: { experiment: previous.name }, experiment: previous }),
    );
  });
}
