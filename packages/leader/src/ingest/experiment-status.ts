import type { LeaderDatabase } from '../core/leader-context.ts';
import { systemExperiment } from '../core/leader-context.ts';

/** The status of an experiment that a unit records data for. */
export type ExperimentStatus =
  | { readonly is: 'known'; readonly id: number; readonly name: string; readonly createdAt: number }
  /** `$experiment`: the cluster itself. */
  | { readonly is: 'cluster' }
  | { readonly is: 'deleted' }
  /** The store of this leader does not contain it: an older backup was restored. */
  | { readonly is: 'unknown' };

/** The status of each uid in the store. */
export async function experimentStatuses(
  { read }: Pick<LeaderDatabase, 'read'>,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, ExperimentStatus>> {
  const statuses = new Map<string, ExperimentStatus>();
  for (const uid of uids)
    statuses.set(uid, uid === systemExperiment ? { is: 'cluster' } : await experimentStatus(read, uid));
  return statuses;
}

async function experimentStatus(read: LeaderDatabase['read'], uid: string): Promise<ExperimentStatus> {
  const experiment = await read
    .selectFrom('experiments')
    .where('uid', '=', uid)
    .select(['id', 'name', 'created_at', 'deleting_at'])
    .executeTakeFirst();
  if (experiment) {
    const { id, name, created_at: createdAt, deleting_at } = experiment;
    return deleting_at === null ? { is: 'known', id, name, createdAt } : { is: 'deleted' };
  }
  const deleted = await read.selectFrom('deleted_experiments').where('uid', '=', uid).select('uid').executeTakeFirst();
  return { is: deleted ? 'deleted' : 'unknown' };
}
