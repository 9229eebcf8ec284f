import { ApiError, type ExperimentChange } from '@lcs/contract';
import { freeWorkers } from '../assignments/free-workers.ts';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { stopJobsLater } from '../fleet/stop-jobs-later.ts';
import { withLeader } from '../queries/addressed-units.ts';
import { workersOfExperiment } from '../queries/assignments.ts';

interface Key {
  readonly id: number;
  readonly name: string;
  readonly created_at: number;
  readonly ended_at: number | null;
}

const task = 'end_experiment';

/**
 * The requested end of an experiment in milliseconds; null: it is reopened.
 * @throws ApiError ended_at_invalid
 */
export function acceptedEnd(
  requested: NonNullable<ExperimentChange['ended_at']> | null,
  { created_at }: Pick<Key, 'created_at'>,
  now: number,
): number | null {
  if (requested === null) return null;
  // The clock may have been set back since: an end must not precede the beginning.
  if (requested === true) return Math.max(now, created_at);
  const at = parseTimestamp(requested);
  if (at === undefined) {
    throw new ApiError('ended_at_invalid', { cause: `'${requested}' must be a time with a zone.` });
  }
  if (at > now) throw new ApiError('ended_at_invalid', { cause: `'${requested}' is in the future.` });
  if (at < created_at) throw new ApiError('ended_at_invalid', { cause: `'${requested}' is before its creation.` });
  return at;
}

/**
 * Ends an experiment: its jobs are stopped in the background, and its workers become free unless they are kept. If it has ended,
 * only its end time changes.
 */
export async function endExperiment(
  context: LeaderContext,
  transaction: LeaderTransaction,
  effects: Effects,
  {
    key,
    at,
    now,
    keepsWorkers,
  }: { readonly key: Key; readonly at: number; readonly now: number; readonly keepsWorkers: boolean },
): Promise<void> {
  await transaction.updateTable('experiments').set({ ended_at: at }).where('id', '=', key.id).execute();
  await effects.logEvent({ experiment: key, level: 'INFO', message: `Ended experiment ${key.name}.`, task });
  if (key.ended_at !== null) return;
  const workers = (await workersOfExperiment(transaction, key.name).execute()).map(({ reactor_unit }) => reactor_unit);
  // The document of a worker that leaves its experiment has such an order anyway.
  if (keepsWorkers) {
    await context.desired.orderStopsIn(transaction, effects, workers, { experiment: key.name, jobName: null });
  } else await freeWorkers(context, transaction, effects, key.id, now);
  // The leader runs the experiment's profiles, which would start its jobs again.
  for (const unit of withLeader(context.leader, workers)) {
    effects.afterCommit(() => stopJobsLater(context, { unit, request: { experiment: key.name }, experiment: key }));
  }
}
