import { CompiledQuery } from 'kysely';
import type { LeaderTransaction } from '../core/leader-context.ts';
import { TouchedBuckets } from '../series/rollup-levels.ts';
import { beginEarlierSql, growEraSql } from './boot-era-store.ts';
import { movedSamples, type StoredSample } from './moved-samples.ts';

/** Samples of one era that go into the next one. */
export interface EraMove {
  readonly unit: string;
  readonly fromEra: number;
  readonly toEra: number;
  readonly offsetMs: number;
  /** The first and last time of the era's samples. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface MovedSeries {
  readonly id: number;
  readonly experimentUid: string;
}

/** So few that a command waits only some ten milliseconds behind such a transaction. */
const samplesPerTransaction = 500;
/** A sample whose time is taken moves a few milliseconds further. */
const placementMs = 60_000;

/**
 * Moves the next samples of a series, with flags, contexts and roll-ups. Returns where to continue, undefined at the end. The samples change
 * their era with their time, so that none is moved twice, whatever interrupts this. The order of the moves ensures that no sample moves
 * to the time of an unmoved sample of its era.
 */
export async function moveNextSamples(
  transaction: LeaderTransaction,
  series: MovedSeries,
  move: EraMove,
  cursor: number | undefined,
): Promise<number | undefined> {
  const samples = await nextSamples(transaction, series, move, cursor);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  await remove(transaction, series, move, [first.at, last.at]);
  const moved = await place(transaction, series, move, samples);
  await moveContexts(transaction, series, move, samples);
  await rebuild(transaction, series, [...samples, ...moved]);
  const [firstMoved, lastMoved] = [moved[0]?.at, moved.at(-1)?.at];
  if (firstMoved !== undefined && lastMoved !== undefined) {
    await run(transaction, growEraSql, [move.toEra, firstMoved, lastMoved]);
    await beginExperimentEarlier(transaction, series, firstMoved);
  }
  await transaction
    .updateTable('boot_eras')
    .set(({ eb }) => ({ moved_samples: eb('moved_samples', '+', samples.length) }))
    .where('id', '=', move.toEra)
    .execute();
  return move.offsetMs > 0 ? first.at : last.at;
}

const run = (transaction: LeaderTransaction, sql: string, values: readonly (string | number | null)[]) =>
  transaction.executeQuery(CompiledQuery.raw(sql, [...values]));

/** In the order of their times. */
async function nextSamples(
  transaction: LeaderTransaction,
  { id }: MovedSeries,
  { fromEra, offsetMs, firstAt, lastAt }: EraMove,
  cursor: number | undefined,
): Promise<readonly StoredSample[]> {
  const isForward = offsetMs > 0;
  const [from, upTo] = isForward
    ? [firstAt, (cursor ?? lastAt + placementMs) - 1]
    : [(cursor ?? firstAt - 1) + 1, lastAt + placementMs];
  const rows = await transaction
    .selectFrom('samples as s')
    .leftJoin('sample_flags as f', (join) => join.onRef('f.series_id', '=', 's.series_id').onRef('f.at', '=', 's.at'))
    .where('s.series_id', '=', id)
    .where('s.at', '>=', from)
    .where('s.at', '<=', upTo)
    .where('s.era', '=', fromEra)
    .orderBy('s.at', isForward ? 'desc' : 'asc')
    .limit(samplesPerTransaction)
    .select(['s.at', 's.value', 'f.flags', 'f.moved_from as movedFrom'])
    .execute();
  const samples = rows.map(({ at, value, flags, movedFrom }) => ({ at, value, flags: flags ?? 0, movedFrom }));
  return isForward ? samples.reverse() : samples;
}

async function remove(
  transaction: LeaderTransaction,
  { id }: MovedSeries,
  { fromEra }: EraMove,
  [firstAt, lastAt]: readonly [number, number],
): Promise<void> {
  const values = [id, firstAt, lastAt, fromEra];
  const ofEra = 'series_id = ?1 and at >= ?2 and at <= ?3 and era = ?4';
  await run(
    transaction,
    `delete from sample_flags where series_id = ?1 and at >= ?2 and at <= ?3
      and at in (select at from samples where ${ofEra})`,
    values,
  );
  await run(transaction, `delete from samples where ${ofEra}`, values);
}

async function place(
  transaction: LeaderTransaction,
  { id }: MovedSeries,
  { offsetMs, toEra }: EraMove,
  samples: readonly StoredSample[],
): Promise<readonly StoredSample[]> {
  const [firstAt = 0, lastAt = 0] = [samples[0]?.at, samples.at(-1)?.at];
  const stored = await transaction
    .selectFrom('samples')
    .where('series_id', '=', id)
    .where('at', '>=', firstAt + offsetMs)
    .where('at', '<=', lastAt + offsetMs + placementMs)
    .select(['at', 'value', 'era'])
    .execute();
  const moved = movedSamples(samples, stored, { offsetMs, era: toEra });
  const flagged = moved.filter(({ flags }) => flags !== 0);
  if (moved.length > 0)
    await transaction
      .insertInto('samples')
      .values(moved.map(({ at, value }) => ({ series_id: id, at, value, era: toEra })))
      .execute();
  if (flagged.length > 0)
    await transaction
      .insertInto('sample_flags')
      .values(flagged.map(({ at, flags, movedFrom }) => ({ series_id: id, at, flags, moved_from: movedFrom })))
      .execute();
  return moved;
}

/** The start of a context that began with these samples. */
async function moveContexts(
  transaction: LeaderTransaction,
  { id }: MovedSeries,
  { offsetMs }: EraMove,
  samples: readonly StoredSample[],
): Promise<void> {
  const moments = samples.map(({ at }) => at);
  const contexts = await transaction
    .selectFrom('series_context')
    .where('series_id', '=', id)
    .where('since', 'in', moments)
    .selectAll()
    .execute();
  if (contexts.length === 0) return;
  await transaction.deleteFrom('series_context').where('series_id', '=', id).where('since', 'in', moments).execute();
  for (const context of contexts)
    await transaction
      .replaceInto('series_context')
      .values({ ...context, since: Math.max(0, context.since + offsetMs) })
      .execute();
}

async function rebuild(
  transaction: LeaderTransaction,
  { id }: MovedSeries,
  changed: readonly StoredSample[],
): Promise<void> {
  const touched = new TouchedBuckets();
  for (const { at } of changed) touched.add(id, at);
  for (const { sql, rows } of touched.statements('removed'))
    for (const row of rows) await transaction.executeQuery(CompiledQuery.raw(sql, [...row]));
}

/** An experiment does not begin after its first reading: the clock was ahead at its creation. */
async function beginExperimentEarlier(
  transaction: LeaderTransaction,
  { experimentUid }: MovedSeries,
  at: number,
): Promise<void> {
  const experiment = await transaction
    .selectFrom('experiments')
    .where('uid', '=', experimentUid)
    .select('id')
    .executeTakeFirst();
  if (experiment !== undefined) await run(transaction, beginEarlierSql, [experiment.id, at]);
}
