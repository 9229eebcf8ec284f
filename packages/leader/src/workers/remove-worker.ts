import { ApiError } from '@lcs/contract';
import { announceAssignment, announceExperiment } from '../assignments/announce.ts';
import type { LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { stopJobsLater } from '../fleet/stop-jobs-later.ts';
import { closeAssignment } from '../queries/assignments.ts';
import { assignmentOf, workerNamed } from '../queries/workers.ts';

/** Older files of a unit are stored under the second name. */
const configNames = (unit: string): string[] => [`unit_config.ini::${unit}`, `config_${unit}.ini`];

const forgetConfig = (transaction: LeaderTransaction, unit: string) =>
  transaction.deleteFrom('config_histories').where('filename', 'in', configNames(unit)).execute();

/**
 * Removes a worker from the inventory. Its assignment ends, the history of its configuration is removed, all its jobs are stopped in the
 * background, and its last document releases it, now or when it returns; its data, logs and labels stay. The leader, as its own worker,
 * keeps its configuration.
 * @throws ApiError worker_not_found
 */
export async function removeWorker(context: LeaderContext, unit: string): Promise<void> {
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const worker = await workerNamed(transaction, unit).executeTakeFirst();
    if (!worker) throw new ApiError('worker_not_found', { unit });
    const assigned = await assignmentOf(transaction, unit).executeTakeFirst();

    if (assigned) await closeAssignment(transaction, unit, now);
    if (unit !== context.leader) await forgetConfig(transaction, unit);
    await transaction.deleteFrom('workers').where('reactor_unit', '=', unit).execute();

    // Also for a free worker: an old retained message must not assign it again.
    announceAssignment(effects, { reactor_unit: unit, is_active: 0, experiment: null, assigned_at: null }, now);
    effects.live('worker_deleted', unit, { reactor_unit: unit });
    if (assigned) await announceExperiment(transaction, effects, assigned.name, now);
    await effects.logEvent({ level: 'INFO', message: `Removed ${unit} from the inventory.`, task: 'assignment' });
    effects.afterCommit(() => context.desired.refresh([unit]));
    effects.afterCommit(() => stopJobsLater(context, { unit, request: 'all' }));
  });
}
