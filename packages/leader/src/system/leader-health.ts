import { dayMs, type LeaderHealth } from '@lcs/contract';
import type { Host } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { sql } from 'kysely';
import type { LeaderContext } from '../core/leader-context.ts';

/** What a reading takes in the database with its roll-ups: measured by `npm run bench` (README, bytes per reading). */
const bytesPerReading = 34;

/** How long the free space lasts, days; null: nothing is stored. */
export const daysLeft = (availableBytes: number, bytesPerDay: number): number | null =>
  bytesPerDay <= 0 ? null : Math.round((10 * availableBytes) / bytesPerDay) / 10;

/** The roll-ups of an hour have the number of their readings: a few thousand rows for a day of a hundred units. */
const storedSinceSql = (sinceMs: number) => sql<{ readonly n: number | null }>`
  select sum(r.n) as n from series as s join rollup_1h as r on r.series_id = s.id and r.bucket >= ${sinceMs}`;

/** The pages of the store, whether they are full or not. */
const storeBytesSql = sql<{ readonly bytes: number }>`
  select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;

interface HealthOptions {
  readonly context: Pick<LeaderContext, 'database' | 'dataFolder'>;
  readonly host: Pick<Host, 'diskSpace' | 'memory' | 'load'>;
  readonly version: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
}

/** What the leader's machine has left, and for how long at the rate of the last day. */
export async function leaderHealth(options: HealthOptions): Promise<LeaderHealth> {
  const { context, host, version, startedAtMs, nowMs } = options;
  const { database, dataFolder } = context;
  const [disk, memory, store, stored] = await Promise.all([
    host.diskSpace(dataFolder),
    host.memory(),
    storeBytesSql.execute(database.read),
    storedSinceSql(nowMs - dayMs).execute(database.read),
  ]);
  const readings = stored.rows[0]?.n ?? 0;
  const bytesPerDay = readings * bytesPerReading;
  const { oneMinute, cores } = host.load();
  return {
    version,
    started_at: toTimestamp(startedAtMs),
    utc_time: toTimestamp(nowMs),
    disk: { available_bytes: disk.availableBytes, total_bytes: disk.totalBytes },
    memory: { available_bytes: memory.availableBytes, total_bytes: memory.totalBytes },
    load: { one_minute: oneMinute, cores },
    database_bytes: store.rows[0]?.bytes ?? 0,
    readings_per_day: readings,
    bytes_per_day: bytesPerDay,
    days_left: daysLeft(disk.availableBytes, bytesPerDay),
  };
}
