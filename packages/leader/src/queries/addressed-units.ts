import { ApiError } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { workerNamed, workerNames } from './workers.ts';

type Needs = Pick<LeaderContext, 'leader' | 'database'>;

/** Stands for all units (or all workers) in a path. */
export const broadcast = '$broadcast';

/** The names in a list that is separated by commas, each once. */
export const namesIn = (list: string): readonly string[] => [...new Set(list.split(',').map((name) => name.trim()))];

/** Which routes a request came by: `/api/units` knows the leader as well, `/api/workers` workers only. */
export type Surface = 'units' | 'workers';

/**
 * The units a request speaks to: one that is known, or all of them.
 * @throws ApiError unit_unknown
 */
export async function addressedUnits(context: Needs, surface: Surface, unit: string): Promise<readonly string[]> {
  if (unit !== broadcast) {
    await (surface === 'workers' ? expectWorker(context, unit) : expectKnown(context, unit));
    return [unit];
  }
  const workers = await workerNames(context.database.read);
  return surface === 'workers' ? workers : withLeader(context.leader, workers);
}

/** @throws ApiError unit_unknown for a name that is neither the leader nor a worker */
export async function expectKnown({ leader, database }: Needs, unit: string): Promise<void> {
  if (unit === leader) return;
  if (!(await workerNamed(database.read, unit).executeTakeFirst())) throw new ApiError('unit_unknown', { unit });
}

/** @throws ApiError unit_unknown for a name that no worker has */
export async function expectWorker({ leader, database }: Needs, unit: string): Promise<void> {
  if (await workerNamed(database.read, unit).executeTakeFirst()) return;
  throw new ApiError('unit_unknown', { unit, ...(unit === leader && { isLeader: true }) });
}

/** The leader may be a worker too. */
export const withLeader = (leader: string, workers: readonly string[]): readonly string[] =>
  workers.includes(leader) ? workers : [leader, ...workers];

/** @throws ApiError one_unit_only for all units, unit_unknown for a name that no worker has */
export async function expectOneWorker(context: Needs, unit: string): Promise<void> {
  if (unit === broadcast) throw new ApiError('one_unit_only', {});
  await expectWorker(context, unit);
}
