import { sql } from 'kysely';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { flagOf } from '../queries/workers.ts';
import { announceAssignment } from './announce.ts';

/** Ends all assignments of an experiment, also in the history, and publishes them. */
export async function freeWorkers(
  { desired }: Pick<LeaderContext, 'desired'>,
  transaction: LeaderTransaction,
  effects: Effects,
  experimentId: number,
  now: number,
): Promise<void> {
  const workers = await transaction
    .selectFrom('assignments')
    .innerJoin('workers', 'workers.reactor_unit', 'assignments.reactor_unit')
    .where('assignments.experiment_id', '=', experimentId)
    .orderBy('workers.reactor_unit')
    .select(['workers.reactor_unit', 'workers.is_active'])
    .execute();
  await transaction
    .updateTable('assignment_history')
    // The clock may have been set back since the assignment began: an end must not precede its beginning.
    .set({ unassigned_at: sql<number>`max(assigned_at, ${now})` })
    .where('experiment_id', '=', experimentId)
    .where('unassigned_at', 'is', null)
    .execute();
  await transaction.deleteFrom('assignments').where('experiment_id', '=', experimentId).execute();
  for (const { reactor_unit, is_active } of workers) {
    const freed = { reactor_unit, is_active: flagOf(is_active), experiment: null, assigned_at: null };
    announceAssignment(effects, freed, now);
  }
  const units = workers.map(({ reactor_unit }) => reactor_unit);
  effects.afterCommit(() => desired.refresh(units));
}
