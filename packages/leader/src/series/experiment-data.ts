import type { Database, Probe } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';
import type { SeriesIds } from './series-ids.ts';

export interface ExperimentDataOptions {
  readonly database: Database<LeaderTables>;
  readonly ids: Pick<SeriesIds, 'forget'>;
  /** Resolves when what was being stored as it was called is stored: it may not know of the deletion yet. */
  readonly settled: () => Promise<void>;
  /** Called at `delete.batch_done`. */
  readonly probe?: Probe;
}

/** Few enough that a command which waits behind such a transaction waits some ten milliseconds. */
const rowsPerTransaction = 5_000;

/** Tables by series, with the rest of their key. Contexts and the series itself, which are few, go at the end. */
const bySeries = [
  ['samples', 'at'],
  ['sample_flags', 'at'],
  ['rollup_1m', 'bucket'],
  ['rollup_10m', 'bucket'],
  ['rollup_1h', 'bucket'],
] as const;

/** Removes the oldest rows of a series, no more than fit into a transaction. */
export const removeOldest = (table: string, moment: string, id: number) =>
  sql`delete from ${sql.table(table)} where series_id = ${id} and ${sql.ref(moment)} <= (
    select max(${sql.ref(moment)}) from (
      select ${sql.ref(moment)} from ${sql.table(table)} where series_id = ${id}
      order by ${sql.ref(moment)} limit ${rowsPerTransaction}))`;

/** Removes events of an experiment, no more than fit into a transaction. */
export const removeEvents = (uid: string) =>
  sql`delete from events where id in (
    select id from events where experiment_uid = ${uid} limit ${rowsPerTransaction})`;

/** What units have told about an experiment: readings, events, last known values. */
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
   * Removes everything in small transactions, the series last: cut short, it goes on when it is called again. The experiment
   * must be marked as deleted before, so that nothing new is stored. `removed` hears how many rows went.
   */
  async remove(uid: string, signal: AbortSignal, removed: (rows: number) => void): Promise<void> {
    const { database, ids, settled } = this.#options;
    await settled();
    const series = await database.read.selectFrom('series').select('id').where('experiment_uid', '=', uid).execute();
    for (const { id } of series) await this.removeSeries(id, signal, removed);
    ids.forget();
    await this.#repeat(() => removeEvents(uid), signal, removed);
    await database.write((transaction) =>
      transaction.deleteFrom('last_known').where('experiment_uid', '=', uid).execute(),
    );
  }

  /** Removes one series in small transactions, itself last. Its number must be forgotten then, see `SeriesIds`. */
  async removeSeries(id: number, signal: AbortSignal, removed: (rows: number) => void): Promise<void> {
    for (const [table, moment] of bySeries) {
      const counted = table === 'samples' ? removed : () => {};
      await this.#repeat(() => removeOldest(table, moment, id), signal, counted);
    }
    await this.#options.database.write(async (transaction) => {
      await transaction.deleteFrom('series_context').where('series_id', '=', id).execute();
      await transaction.deleteFrom('series').where('id', '=', id).execute();
    });
  }

  async #repeat(
    statement: () => RawBuilder<unknown>,
    signal: AbortSignal,
    removed: (rows: number) => void,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const rows = await this.#options.database.write(async (transaction) => {
        const { numAffectedRows = 0n } = await statement().execute(transaction);
        return Number(numAffectedRows);
      });
      if (rows === 0) return;
      removed(rows);
      this.#options.probe?.('delete.batch_done');
    }
  }
}
