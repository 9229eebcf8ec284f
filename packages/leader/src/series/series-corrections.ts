import { hourMs, minuteMs } from '@lcs/contract';
import type { BulkStatement, Database } from '@lcs/platform';
import type { LeaderTables } from '../store/tables.ts';
import { bucketOf, TouchedBuckets } from './rollup-levels.ts';
import { sampleFlags } from './sample-flags.ts';

const correctSql = 'update samples set value = ?3 where series_id = ?1 and at = ?2';
const flagCorrectedSql = `insert into sample_flags (series_id, at, flags)
  select series_id, at, ${sampleFlags.corrected} from samples where series_id = ?1 and at = ?2
  on conflict (series_id, at) do update set flags = sample_flags.flags | ${sampleFlags.corrected}`;
const removeSamplesSql = 'delete from samples where series_id = ?1 and at >= ?2 and at <= ?3';
const removeFlagsSql = 'delete from sample_flags where series_id = ?1 and at >= ?2 and at <= ?3';

/** Gives a stored sample another value, flagged `corrected`; does nothing when there is none at that time. */
export async function correctSample(
  database: Database<LeaderTables>,
  seriesId: number,
  at: number,
  value: number,
): Promise<void> {
  const touched = new TouchedBuckets();
  touched.add(seriesId, at);
  await database.bulk(
    [
      { sql: correctSql, rows: [[seriesId, at, value]] },
      { sql: flagCorrectedSql, rows: [[seriesId, at]] },
      ...touched.statements('only_added'),
    ],
    { durable: true },
  );
}

/**
 * Removes the samples of a series from `from` to `upTo` (ms, both included), an hour per transaction, so that other work does not wait
 * for long. After an interruption it can be called again.
 */
export async function removeSamples(
  database: Database<LeaderTables>,
  seriesId: number,
  from: number,
  upTo: number,
): Promise<void> {
  const hours = await database.read
    .selectFrom('rollup_1h')
    .select('bucket')
    .where('series_id', '=', seriesId)
    .where('bucket', '>=', bucketOf(from, hourMs))
    .where('bucket', '<=', upTo)
    .orderBy('bucket')
    .execute();
  for (const { bucket } of hours) {
    const statements = removalOf(seriesId, Math.max(from, bucket), Math.min(upTo, bucket + hourMs - 1));
    await database.bulk(statements);
  }
}

function removalOf(seriesId: number, from: number, upTo: number): BulkStatement[] {
  const touched = new TouchedBuckets();
  for (let at = bucketOf(from, minuteMs); at <= upTo; at += minuteMs) touched.add(seriesId, at);
  const rows = [[seriesId, from, upTo]];
  return [{ sql: removeSamplesSql, rows }, { sql: removeFlagsSql, rows }, ...touched.statements('removed')];
}
