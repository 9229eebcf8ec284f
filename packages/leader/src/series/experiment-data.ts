import type { Database, Probe } from '@lcs/platform';
import { sql, type Transaction } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';
import { ReadingPartitions } from './reading-partitions.ts';
import type { SeriesIds } from './series-ids.ts';

/** The readings of experiments in sealed months. */
interface SealedData {
  /** Returns their number. */
  removeExperiment(uid: string): Promise<number>;
}

export interface ExperimentDataOptions {
  readonly database: Database<LeaderTables>;
  readonly ids: Pick<SeriesIds, 'forget'>;
  /** Resolves when writes that had started before are complete: they may not take the deletion into account. */
  readonly settled: () => Promise<void>;
  readonly now: () => number;
  /** Sealed months. Absent: there are none. */
  readonly archive?: SealedData;
  /** Called at `delete.batch_done`. */
  readonly probe?: Probe;
}

/** Rows per transaction, so that a waiting command is delayed by some ten milliseconds. */
const rowsPerTransaction = 5_000;

/** Tables by series, with the rest of their key. Contexts and the series itself, which are few, go at the end. */
const bySeries = [
  ['samples', 'at'],
  ['sample_flags', 'at'],
  ['rollup_1m', 'bucket'],
  ['rollup_10m', 'bucket'],
  ['rollup_1h', 'bucket'],
] as const;

/** The last moment of the oldest rows of a series after `fromMs`, no more than fit into a transaction. */
export const lastOfOldest = (table: string, moment: string, id: number, fromMs: number) =>
  sql<{ at: number | null }>`select max(${sql.ref(moment)}) as at from (
    select ${sql.ref(moment)} from ${sql.table(table)} where series_id = ${id} and ${sql.ref(moment)} > ${fromMs}
    order by ${sql.ref(moment)} limit ${rowsPerTransaction}) as oldest`;

export const removeBetween = (table: string, moment: string, id: number, fromMs: number, untilMs: number) =>
  sql`delete from ${sql.table(table)} where series_id = ${id}
    and ${sql.ref(moment)} > ${fromMs} and ${sql.ref(moment)} <= ${untilMs}`;

/** Removes events of an experiment, no more than fit into a transaction. */
export const removeEvents = (uid: string) =>
  sql`delete from events where id in (
    select id from events where experiment_uid = ${uid} limit ${rowsPerTransaction})`;

/** Data of units about an experiment: readings, events, last known values. */
export class ExperimentData {
  readonly #options: ExperimentDataOptions;

  constructor(options: ExperimentDataOptions) {
    this.#options = options;
  }

  /** How many readings there are, or some more. */
  async count(uid: string): Promise<number> {
    const { rows } = await sql<{ n: number | null }>`select sum(n) as n from rollup_1h
      where series_id in (select id from series where experiment_uid = ${uid})`.execute(this.#options.database.read);
    return rows[0]?.n ?? 0;
  }

  /**
   * Removes everything in small transactions, the series last: after an interruption the next call continues. The experiment
   * must be marked as deleted before, so that no new data is stored. `removed` receives the number of deleted rows.
   */
  async remove(uid: string, signal: AbortSignal, removed: (rows: number) => void): Promise<void> {
    const { database, ids, settled, now, archive } = this.#options;
    await settled();
    const sealed = (await archive?.removeExperiment(uid)) ?? 0;
    if (sealed > 0) removed(sealed);
    const cleared = await new ReadingPartitions(database).clear(uid, now());
    if (cleared > 0) removed(cleared);
    const series = await database.read.selectFrom('series').select('id').where('experiment_uid', '=', uid).execute();
    for (const { id } of series) await this.removeSeries(id, signal, removed);
    ids.forget();
    const removeNextEvents = async (transaction: Transaction<LeaderTables>): Promise<number> =>
      Number((await removeEvents(uid).execute(transaction)).numAffectedRows ?? 0n);
    await this.#repeat(removeNextEvents, signal, removed);
    await database.write((transaction) =>
      transaction.deleteFrom('last_known').where('experiment_uid', '=', uid).execute(),
    );
  }

  /** Removes one series in small transactions, itself last. Then its number must be removed from `SeriesIds`. */
  async removeSeries(id: number, signal: AbortSignal, removed: (rows: number) => void): Promise<void> {
    for (const [table, moment] of bySeries) {
      const counted = table === 'samples' ? removed : () => {};
      let fromMs = Number.MIN_SAFE_INTEGER;
      const removeNext = async (transaction: Transaction<LeaderTables>): Promise<number> => {
        const { rows } = await lastOfOldest(table, moment, id, fromMs).execute(transaction);
        const untilMs = rows[0]?.at ?? undefined;
        if (untilMs === undefined) return 0;
        const { numAffectedRows = 0n } = await removeBetween(table, moment, id, fromMs, untilMs).execute(transaction);
        // PostgreSQL keeps removed rows in its indexes for a while: from the beginning, each step would pass all that were removed before.
        fromMs = untilMs;
        return Number(numAffectedRows);
      };
      await this.#repeat(removeNext, signal, counted);
    }
    await this.#options.database.write(async (transaction) => {
      await transaction.deleteFrom('series_context').where('series_id', '=', id).execute();
      await transaction.deleteFrom('sealed_series').where('series_id', '=', id).execute();
      await transaction.deleteFrom('series').where('id', '=', id).execute();
    });
  }

  async #repeat(
    removeNext: (transaction: Transaction<LeaderTables>) => Promise<number>,
    signal: AbortSignal,
    removed: (rows: number) => void,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const rows = await this.#options.database.write(removeNext);
      if (rows === 0) return;
      removed(rows);
      this.#options.probe?.('delete.batch_done');
    }
  }
}
