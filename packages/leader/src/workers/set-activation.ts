import { ApiError } from '@lcs/contract';
import { announceExperiment } from '../assignments/announce.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { stopJobsLater } from '../fleet/stop-jobs-later.ts';
import { assignmentOf, toWorker, workerNamed } from '../queries/workers.ts';

/**
 * Makes a worker active or inactive. Its assignment stays. All jobs of an inactive worker are stopped in the background, also when it was
 * inactive before: a repeated request may mean that a job still runs.
 * @throws ApiError worker_unknown
 */
export async function setActivation(context: LeaderContext, unit: string, isActive: boolean): Promise<void> {
  const now = context.clock.now();
  const is_active = isActive ? 1 : 0;
  await context.change(async (transaction, effects) => {
    const worker = await workerNamed(transaction, unit).executeTakeFirst();
    if (!worker) throw new ApiError('worker_unknown', { unit });
    if (!isActive) effects.afterCommit(() => stopJobsLater(context, { unit, request: 'all' }));
    if (worker.is_active === is_active) return;

    await transaction.updateTable('workers').set({ is_active }).where('reactor_unit', '=', unit).execute();
    const assigned = await assignmentOf(transaction, unit).executeTakeFirst();

    effects.afterCommit(() => context.desired.refresh([unit]));
    effects.live('worker', unit, toWorker({ ...worker, is_active }));
    effects.live('assignment', unit, { reactor_unit: unit, experiment: assigned?.name ?? null, is_active });
    if (assigned) await announceExperiment(transaction, effects, assigned.name, now);
    await effects.logEvent({
      level: 'INFO',
      message: `Made ${unit} ${isActive ? 'active' : 'inactive'}.`,
      task: 'worker_status',
    });
  });
}
