import type { Assignment, ExperimentWorker } from '@lcs/contract';
import { type Kysely, sql } from 'kysely';
import type { LeaderSchema, LeaderTransaction } from '../core/leader-context.ts';
import { flagOf } from './workers.ts';

type Reader = Kysely<LeaderSchema>;

/** Every worker with its experiment and the moment of its assignment, or nulls, by name. */
export const assignmentsOfAll = (database: Reader) =>
  database
    .selectFrom('workers')
    .leftJoin('assignments', 'assignments.reactor_unit', 'workers.reactor_unit')
    .leftJoin('experiments', 'experiments.id', 'assignments.experiment_id')
    .select(['workers.reactor_unit', 'workers.is_active', 'experiments.name as experiment', 'assignments.assigned_at'])
    .orderBy('workers.reactor_unit');

export async function readAssignments(database: Reader): Promise<Assignment[]> {
  const rows = await assignmentsOfAll(database).execute();
  return rows.map(({ reactor_unit, experiment, is_active }) => ({
    reactor_unit,
    experiment,
    is_active: flagOf(is_active),
  }));
}

/** Workers of the existing experiment of that name, by name. */
export const workersOfExperiment = (database: Reader, experiment: string) =>
  database
    .selectFrom('experiments')
    .innerJoin('assignments', 'assignments.experiment_id', 'experiments.id')
    .innerJoin('workers', 'workers.reactor_unit', 'assignments.reactor_unit')
    .where('experiments.name', '=', experiment)
    .where('experiments.deleting_at', 'is', null)
    .select(['workers.reactor_unit', 'workers.is_active', 'workers.model_name', 'workers.model_version'])
    .orderBy('workers.reactor_unit');

export async function readExperimentWorkers(database: Reader, experiment: string): Promise<ExperimentWorker[]> {
  const rows = await workersOfExperiment(database, experiment).execute();
  return rows.map((row) => ({ ...row, is_active: flagOf(row.is_active) }));
}

/** Begins an assignment, in the history too. The worker is free. */
export async function openAssignment(
  transaction: LeaderTransaction,
  reactor_unit: string,
  experiment: { readonly id: number; readonly name: string },
  now: number,
): Promise<void> {
  const assigned = { reactor_unit, experiment_id: experiment.id, assigned_at: now };
  await transaction.insertInto('assignments').values(assigned).execute();
  await transaction
    .insertInto('assignment_history')
    .values({ ...assigned, experiment: experiment.name, unassigned_at: null })
    .execute();
}

/** Ends the assignment of a worker, in the history too. */
export async function closeAssignment(
  transaction: LeaderTransaction,
  reactor_unit: string,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('assignment_history')
    // The clock may have been set back since the assignment began: it never ends before it began.
    .set({ unassigned_at: sql<number>`max(assigned_at, ${now})` })
    .where('reactor_unit', '=', reactor_unit)
    .where('unassigned_at', 'is', null)
    .execute();
  await transaction.deleteFrom('assignments').where('reactor_unit', '=', reactor_unit).execute();
}
