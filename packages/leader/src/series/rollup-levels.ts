import { hourMs } from '@lcs/contract/durations';
import type { BulkStatement } from '@lcs/platform';

export interface RollupLevel {
  readonly table: 'rollup_1m' | 'rollup_10m' | 'rollup_1h';
  readonly widthMs: number;
}

/** From fine to coarse; each width is a multiple of the one before, because each level is computed from that one. */
export const rollupLevels: readonly RollupLevel[] = [
  { table: 'rollup_1m', widthMs: 60_000 },
  { table: 'rollup_10m', widthMs: 600_000 },
  { table: 'rollup_1h', widthMs: hourMs },
];

export const bucketOf = (at: number, widthMs: number): number => Math.floor(at / widthMs) * widthMs;

const columns = 'series_id, bucket, n, sum, min, at_min, max, at_max, first_at, first, last_at, last';

const assignments = columns
  .split(', ')
  .slice(2)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

/** Whether the bucket is in a sealed month of series ?1: its readings are in a file, and the bucket stays as it is. */
const isSealedSql = (bucket: string): string =>
  `exists (select 1 from sealed_series z where z.series_id = ?1 and z.from_at <= ${bucket} and z.to_at > ${bucket})`;

/**
 * Computes one bucket again from the level below: from samples, or from finer buckets. `bucket` is an SQL expression, ?1 the series. Computing
 * again instead of adding makes a bucket a function of the stored samples, whatever their order of arrival and repetition; also the
 * floating-point sum is identical to the last bit.
 */
const rebuildSql = (level: RollupLevel, below: RollupLevel | undefined, bucket: string): string => {
  const [from, at] = below === undefined ? ['samples', 'at'] : [below.table, 'bucket'];
  const rows = `from ${from} where series_id = ?1 and ${at} >= ${bucket} and ${at} < ${bucket} + ${level.widthMs}`;
  const [n, sum, min, atMin, max, atMax, firstAt, first, lastAt, last] =
    below === undefined
      ? ['count(*)', 'value', 'value', 'at', 'value', 'at', 'at', 'value', 'at', 'value']
      : ['sum(n)', 'sum', 'min', 'at_min', 'max', 'at_max', 'first_at', 'first', 'last_at', 'last'];
  // One pass for all sums; values and positions of the extremes and ends are then looked up by key, without sorting.
  return `
    insert into ${level.table} (${columns})
    select ?1, ${bucket}, n, sum,
      min, (select ${atMin} ${rows} and ${min} = total.min order by ${at} limit 1),
      max, (select ${atMax} ${rows} and ${max} = total.max order by ${at} limit 1),
      first_at, (select ${first} ${rows} order by ${at} limit 1),
      last_at, (select ${last} ${rows} order by ${at} desc limit 1)
    from (select ${n} as n, sum(${sum}) as sum, min(${min}) as min, max(${max}) as max,
      min(${firstAt}) as first_at, max(${lastAt}) as last_at ${rows} having count(*) > 0) as total
    where not ${isSealedSql(bucket)}
    on conflict (series_id, bucket) do update set ${assignments}`;
};

const rebuildAll = (bucket: (level: RollupLevel) => string): string[] =>
  rollupLevels.map((level, index) => rebuildSql(level, rollupLevels[index - 1], bucket(level)));

const rebuildBucket = rebuildAll(() => '?2');

/** For each level, computes the buckets of series ?1 again that contain the time `momentSql`. */
export const rebuildAroundSql = (momentSql: string): string[] =>
  rebuildAll(({ widthMs }) => `((${momentSql}) / ${widthMs} * ${widthMs})`);

/** Collects where samples have changed, and updates those buckets. */
export class TouchedBuckets {
  readonly #finest = new Map<number, Set<number>>();
  readonly #last = new Map<number, number>();

  add(seriesId: number, at: number): void {
    const bucket = bucketOf(at, rollupLevels[0]?.widthMs ?? 1);
    // Readings mostly arrive in the order of time: the same bucket again and again.
    if (this.#last.get(seriesId) === bucket) return;
    this.#last.set(seriesId, bucket);
    const known = this.#finest.get(seriesId);
    if (known === undefined) this.#finest.set(seriesId, new Set([bucket]));
    else known.add(bucket);
  }

  /** Run it after the samples were changed, in the same transaction. */
  statements(change: 'only_added' | 'removed'): BulkStatement[] {
    return rollupLevels.flatMap(({ table, widthMs }, index) => {
      const rows = this.#rows(widthMs);
      const rebuild = { sql: rebuildBucket[index] ?? '', rows };
      if (change === 'only_added') return [rebuild];
      return [
        { sql: `delete from ${table} where series_id = ?1 and bucket = ?2 and not ${isSealedSql('?2')}`, rows },
        rebuild,
      ];
    });
  }

  #rows(widthMs: number): [number, number][] {
    return [...this.#finest].flatMap(([seriesId, finest]) => {
      const buckets = new Set([...finest].map((bucket) => bucketOf(bucket, widthMs)));
      return [...buckets].map((bucket): [number, number] => [seriesId, bucket]);
    });
  }
}
