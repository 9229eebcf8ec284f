import { ApiError } from '@lcs/contract';
import type { LeaderContext } from '../../leader-context.ts';
import { broadcast } from '../jobs/addressed-units.ts';
import { workerNamed } from '../workers/worker-store.ts';

/** Refuses what is not one worker. @throws ApiError one_unit_only, unit_unknown */
export async function expectOneWorker({ database }: Pick<LeaderContext, 'database'>, unit: string): Promise<void> {
  if (unit === broadcast) throw new ApiError('one_unit_only', {});
  if (!(await workerNamed(database.read, unit).executeTakeFirst())) throw new ApiError('unit_unknown', { unit });
}
