import { dayMs, hourMs, type LeaderHealth } from '@lcs/contract';
import type { Host } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderContext } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** What a reading takes in the database with its roll-ups: measured by `npm run bench` (README, bytes per reading). */
const bytesPerReading = 34;

/** How long the free space lasts, days; null: nothing is stored, or it is not known how much. */
export const daysLeft = (availableBytes: number, bytesPerDay: number | null): number | null =>
  bytesPerDay === null || bytesPerDay <= 0 ? null : Math.round((10 * availableBytes) / bytesPerDay) / 10;

/**
 * The roll-ups of an hour have the number of their readings: a few thousand rows for a day of a hundred units. The cross join keeps the
 * order of the tables: their key begins with the series, and without it the whole history would be read.
 */
export const storedSinceQuery = (
  sinceMs: number,
): RawBuilder<{ readonly n: number | null; readonly first_at: number | null }> => sql`
  select sum(r.n) as n, min(r.first_at) as first_at from series as s cross join rollup_1h as r
  where r.series_id = s.id and r.bucket >= ${sinceMs}`;

/** What is stored in a day at the rate of the readings since the first of them; null: they cover too little time for a forecast. */
export const bytesPerDayOf = (readings: number, coveredMs: number): number | null =>
  coveredMs < hourMs ? null : Math.round((readings * bytesPerReading * dayMs) / coveredMs);

/** The pages of the store, whether they are full or not. */
const storeBytesSql = sql<{ readonly bytes: number }>`
  select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;

interface HealthOptions {
  readonly context: Pick<LeaderContext, 'database' | 'dataFolder'>;
  /** Queries outside of the main thread. */
  readonly reads: LeaderReader;
  readonly host: Pick<Host, 'diskSpace' | 'memory' | 'load'>;
  readonly broker: { readonly state: LeaderHealth['broker'] };
  readonly version: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
}

/** What the leader's machine has left, and for how long at the rate of the last day. */
export async function leaderHealth(options: HealthOptions): Promise<LeaderHealth> {
  const { context, reads, host, broker, version, startedAtMs, nowMs } = options;
  const { database, dataFolder } = context;
  const [disk, memory, store, stored] = await Promise.all([
    host.diskSpace(dataFolder),
    host.memory(),
    storeBytesSql.execute(database.read),
    storedSinceQuery(nowMs - dayMs).execute(reads),
  ]);
  const { n, first_at } = stored.rows[0] ?? {};
  const readings = n ?? 0;
  const bytesPerDay = readings === 0 ? 0 : bytesPerDayOf(readings, nowMs - (first_at ?? nowMs));
  const { oneMinute, cores } = host.load();
  return {
    version,
    started_at: toTimestamp(startedAtMs),
    utc_time: toTimestamp(nowMs),
    disk: { available_bytes: disk.availableBytes, total_bytes: disk.totalBytes },
    memory: { available_bytes: memory.availableBytes, total_bytes: memory.totalBytes },
    load: { one_minute: oneMinute, cores },
    broker: broker.state,
    database_bytes: store.rows[0]?.bytes ?? 0,
    readings_per_day: readings,
    bytes_per_day: bytesPerDay,
    days_left: daysLeft(disk.availableBytes, bytesPerDay),
  };
}
