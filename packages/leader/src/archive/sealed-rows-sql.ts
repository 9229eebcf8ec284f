import { type Kysely, sql } from 'kysely';
import type { SealedGroup } from '../sealed/sealed-file.ts';
import type { LeaderTables } from '../store/tables.ts';

/** Readings of this source stay in the store: the composition of a vial is computed from them at any time. They are few. */
export const keptSource = 'liquid_volume';

/** The newest reading of a series stays in the store, and readings with flags: other queries read them there. */
const isKept = (series: string, at: string) => `(
  ${at} = (select max(newest.at) from samples newest where newest.series_id = ${series})
  or exists (select 1 from sample_flags f where f.series_id = ${series} and f.at = ${at}))`;

/** ?1 series, ?2 time, ?3 value. */
export const removeRowsSql = `delete from samples where series_id = ?1 and at = ?2 and value = ?3 and not ${isKept('?1', '?2')}`;

/** ?1 series, ?2 time, ?3 value, ?4 era or null. */
export const restoreRowSql =
  'insert into samples (series_id, at, value, era) values (?1, ?2, ?3, ?4) on conflict do nothing';

/** Removes the rows of a group, if the store has those and no others there: as many, with the same times (`at`) by their ends and their sum. */
export async function removeGroup(
  transaction: Kysely<LeaderTables>,
  { seriesId, firstAt, lastAt, rows }: SealedGroup,
  at: Float64Array,
): Promise<boolean> {
  const inGroup = sql`series_id = ${seriesId} and at >= ${firstAt} and at <= ${lastAt}`;
  const found = await sql<{ n: number; first: number; last: number; total: number }>`select count(*) as n,
    min(at) as first, max(at) as last, sum(at - ${firstAt}) as total from samples where ${inGroup}`.execute(
    transaction,
  );
  const [{ n, first, last, total } = {}] = found.rows;
  const expected = at.reduce((sum, moment) => sum + moment - firstAt, 0);
  if (n !== rows || first !== firstAt || last !== lastAt || total !== expected) return false;
  await sql`delete from samples where ${inGroup}
    and at < (select max(newest.at) from samples newest where newest.series_id = ${seriesId})
    and not exists (select 1 from sample_flags f where f.series_id = ${seriesId} and f.at = samples.at)`.execute(
    transaction,
  );
  return true;
}
