import type { HistoricalAssignment } from '@lcs/contract';
import { sql } from 'kysely';
import { experimentKey, type LeaderReader } from './experiments.ts';

const perUnit = (database: LeaderReader) =>
  database
    .selectFrom('assignment_history')
    .select(['reactor_unit', sql<0 | 1>`max(unassigned_at is null)`.as('is_current')])
    .groupBy('reactor_unit')
    .orderBy('reactor_unit');

/** Units that ever were in the experiment with this id. */
export const historyOfExperiment = (database: LeaderReader, experimentId: number) =>
  perUnit(database).where('experiment_id', '=', experimentId);

/** Units that ever were in any experiment that had this name. */
export const historyOfName = (database: LeaderReader, name: string) => perUnit(database).where('experiment', '=', name);

/**
 * Every unit that ever was assigned: to the existing experiment of that name (not to those that had the name before), or, when
 * none lives, to those that had it.
 */
export async function historicalAssignments(database: LeaderReader, name: string): Promise<HistoricalAssignment[]> {
  const existing = await experimentKey(database, name).executeTakeFirst();
  const query = existing ? historyOfExperiment(database, existing.id) : historyOfName(database, name);
  const rows = await query.execute();
  return rows.map(({ reactor_unit, is_current }) => ({
    reactor_unit,
    experiment: name,
    is_currently_assigned_to_experiment: is_current,
  }));
}
