import type { ConfigHistoryEntry } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../../leader-context.ts';
import type { LeaderReader } from '../experiments/experiment-store.ts';

/** The name under which the shared file has its history. */
export const sharedConfigName = 'config.ini';

/** All versions of a file, newest first. */
export const configVersions = (database: LeaderReader, filename: string) =>
  database
    .selectFrom('config_histories')
    .where('filename', '=', filename)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .select(['filename', 'at', 'data']);

/** The full texts of all versions of a file, newest first. */
export async function configHistory(database: LeaderReader, filename: string): Promise<ConfigHistoryEntry[]> {
  const rows = await configVersions(database, filename).execute();
  return rows.map(({ at, data }) => ({ filename, timestamp: toTimestamp(at), data }));
}

/** Adds a version to the history and tells the pages. */
export async function recordConfig(
  context: Pick<LeaderContext, 'change' | 'clock'>,
  filename: string,
  data: string,
): Promise<void> {
  const now = context.clock.now();
  await context.change(async (transaction, effects) => {
    const newest = await configVersions(transaction, filename).limit(1).executeTakeFirst();
    // The clock may have been set back: the newest version stays the one with the latest time.
    const at = Math.max(now, newest?.at ?? now);
    await transaction.insertInto('config_histories').values({ at, filename, data }).execute();
    effects.live('config', filename, { filename, timestamp: toTimestamp(at) });
  });
}
