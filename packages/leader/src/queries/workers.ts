import type { Worker } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { Kysely } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';

/** Reads alike in and outside a transaction. */
type Reader = Kysely<LeaderSchema>;

const columns = ['reactor_unit', 'added_at', 'is_active', 'model_name', 'model_version'] as const;

/** The whole inventory, by name. */
export const allWorkers = (database: Reader) => database.selectFrom('workers').select(columns).orderBy('reactor_unit');

export const workerNamed = (database: Reader, unit: string) =>
  database.selectFrom('workers').select(columns).where('reactor_unit', '=', unit);

/** Names of all workers in the order in which tasks list their outcomes: the newest first. */
export async function workerNames(database: Reader): Promise<string[]> {
  const rows = await database
    .selectFrom('workers')
    .select('reactor_unit')
    .orderBy('added_at', 'desc')
    .orderBy('reactor_unit')
    .execute();
  return rows.map(({ reactor_unit }) => reactor_unit);
}

/** The experiment that a worker is assigned to, if any. */
export const assignmentOf = (database: Reader, unit: string) =>
  database
    .selectFrom('assignments')
    .innerJoin('experiments', 'experiments.id', 'assignments.experiment_id')
    .where('assignments.reactor_unit', '=', unit)
    .select(['experiments.id', 'experiments.name', 'assignments.assigned_at']);

export interface StoredWorker {
  readonly reactor_unit: string;
  /** Milliseconds since 1970. */
  readonly added_at: number;
  readonly is_active: number;
  readonly model_name: string | null;
  readonly model_version: string | null;
}

export const flagOf = (value: number): 0 | 1 => (value === 0 ? 0 : 1);

/** The resource as the wire has it. */
export const toWorker = (stored: StoredWorker): Worker => ({
  reactor_unit: stored.reactor_unit,
  added_at: toTimestamp(stored.added_at),
  is_active: flagOf(stored.is_active),
  model_name: stored.model_name,
  model_version: stored.model_version,
});
