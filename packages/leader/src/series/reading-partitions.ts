import { type Database, StoreError } from '@lcs/platform';
import { sql, type Transaction } from 'kysely';
import type { LeaderTables } from '../store/tables.ts';

/** Months that have a partition: this one and the next ones. */
const monthsAhead = 2;
/** Pause after an attempt that other queries prevented. */
const retryMs = 60_000;
/** Readers of the whole table can last for minutes: nothing waits for them longer, and nothing waits behind this. */
const lockWaitMs = 200;

interface Partition {
  readonly name: string;
  /** Undefined for the default partition. */
  readonly range: readonly [from: number, to: number] | undefined;
}

const monthStart = (atMs: number, months: number): number => {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
};

/** Such as `samples_2026_11`. */
const nameOf = (fromMs: number): string => `samples_${new Date(fromMs).toISOString().slice(0, 7).replace('-', '_')}`;

/** As the server writes them: `FOR VALUES FROM (MINVALUE) TO ('1798761600000')`, or `DEFAULT`. */
function rangeIn(bound: string): Partition['range'] {
  const found = /FROM \('?(\w+)'?\) TO \('?(\d+)'?\)/.exec(bound);
  if (found === null) return undefined;
  return [found[1] === 'MINVALUE' ? Number.NEGATIVE_INFINITY : Number(found[1]), Number(found[2])];
}

async function partitionsOf(database: Pick<Database<LeaderTables>, 'read'>): Promise<readonly Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('samples')
    order by c.relname`.execute(database.read);
  return rows.map(({ name, bound }) => ({ name, range: rangeIn(bound) }));
}

/** A statement that the translation must not read. */
const asIs = (statement: string) => sql.raw(`do $$ begin execute '${statement}'; end $$`);

/**
 * The partitions of `samples` on PostgreSQL, one for each month. They are made before the readings of their month come; whatever has no
 * month (a unit whose clock is years ahead) is in the default partition. On SQLite there are none.
 */
export class ReadingPartitions {
  readonly #database: Database<LeaderTables>;
  #nextMs = Number.NEGATIVE_INFINITY;
  #making: Promise<void> | undefined;

  constructor(database: Database<LeaderTables>) {
    this.#database = database;
  }

  /** Makes missing partitions of this month and the next ones. Other queries may prevent it: then the default partition takes the readings. */
  async prepare(nowMs: number): Promise<void> {
    if (this.#database.engine !== 'postgres' || nowMs < this.#nextMs) return;
    this.#making ??= this.#make(nowMs).finally(() => {
      this.#making = undefined;
    });
    await this.#making;
  }

  /**
   * Empties the partitions that have readings of this experiment only, and removes those of past months that are empty. Faster than row by
   * row, and the space is free at once. Returns the number of readings.
   */
  async clear(experimentUid: string, nowMs: number): Promise<number> {
    if (this.#database.engine !== 'postgres') return 0;
    let removed = 0;
    for (const { name } of await partitionsOf(this.#database)) removed += await this.#truncate(name, experimentUid);
    await this.#dropEmpty(nowMs);
    return removed;
  }

  /** Makes the partition of a month, if it has none. */
  async prepareMonth(fromMs: number): Promise<void> {
    if (this.#database.engine !== 'postgres') return;
    const partitions = await partitionsOf(this.#database);
    if (partitions.some(({ range }) => range !== undefined && range[0] <= fromMs && fromMs < range[1])) return;
    await this.#locked(() => this.#add(fromMs));
  }

  /**
   * Drops the partition of a sealed month, if it has no other readings than its files. What stays in the store is the newest reading of each
   * series, readings with flags and those of one source; it is in the default partition then. False: nothing has changed.
   */
  async dropSealed(fromMs: number, toMs: number, keptSource: string): Promise<boolean> {
    if (this.#database.engine !== 'postgres') return false;
    const found = (await partitionsOf(this.#database)).find(({ range }) => range?.[0] === fromMs && range[1] === toMs);
    if (found === undefined) return false;
    const isDropped = await this.#locked(() => this.#database.write((transaction) => drop(transaction, found.name)));
    return isDropped ?? false;

    async function drop(transaction: Transaction<LeaderTables>, name: string): Promise<boolean> {
      const partition = sql.table(name);
      await sql.raw(`set local lock_timeout = ${lockWaitMs}`).execute(transaction);
      const { rows } = await sql<{ stored: number; sealed: number }>`select
        (select count(*) from ${partition}) as stored,
        (select coalesce(sum(row_count), 0) from sealed_series where from_at = ${fromMs}) as sealed`.execute(
        transaction,
      );
      if (rows[0]?.stored !== rows[0]?.sealed) return false;
      await asIs(`create temp table kept_readings (like samples) on commit drop`).execute(transaction);
      await sql`insert into kept_readings (series_id, at, value, era)
        select x.series_id, x.at, x.value, x.era from sample_flags f
        join ${partition} x on x.series_id = f.series_id and x.at = f.at where f.at >= ${fromMs} and f.at < ${toMs}
        union select x.series_id, x.at, x.value, x.era from series s
        join ${partition} x on x.series_id = s.id where s.source = ${keptSource}
        union select x.series_id, x.at, x.value, x.era from series s
        join ${partition} x on x.series_id = s.id and x.at = (select max(at) from samples where series_id = s.id)`.execute(
        transaction,
      );
      await asIs(`drop table ${name}`).execute(transaction);
      await sql`insert into samples (series_id, at, value, era)
        select series_id, at, value, era from kept_readings`.execute(transaction);
      return true;
    }
  }

  async #make(nowMs: number): Promise<void> {
    const partitions = await partitionsOf(this.#database);
    const months = Array.from({ length: monthsAhead + 1 }, (_, ahead) => monthStart(nowMs, ahead));
    const missing = months.filter(
      (month) => !partitions.some(({ range }) => range !== undefined && range[0] <= month && month < range[1]),
    );
    let isDone = true;
    for (const month of missing) isDone = (await this.#locked(() => this.#add(month))) !== undefined && isDone;
    this.#nextMs = isDone ? monthStart(nowMs, 1) : nowMs + retryMs;
  }

  /** With the readings of that month that are in the default partition. */
  async #add(fromMs: number): Promise<true> {
    const toMs = monthStart(fromMs, 1);
    const name = nameOf(fromMs);
    await this.#database.write(async (transaction) => {
      await sql.raw(`set local lock_timeout = ${lockWaitMs}`).execute(transaction);
      await asIs(`create table ${name} (like samples including defaults including indexes)`).execute(transaction);
      await sql`with moved as (delete from samples_default where at >= ${fromMs} and at < ${toMs} returning *)
        insert into ${sql.table(name)} select * from moved`.execute(transaction);
      await asIs(`alter table samples attach partition ${name} for values from (${fromMs}) to (${toMs})`).execute(
        transaction,
      );
    });
    return true;
  }

  async #truncate(name: string, experimentUid: string): Promise<number> {
    const partition = sql.table(name);
    // Before: no change waits for it.
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${partition}
      where not exists (select 1 from series where experiment_uid <> ${experimentUid}
        and exists (select 1 from ${partition} where series_id = series.id))`.execute(this.#database.read);
    const readings = rows[0]?.n ?? 0;
    if (readings === 0) return 0;
    const isEmptied = await this.#locked(() =>
      this.#database.write(async (transaction) => {
        await sql.raw(`set local lock_timeout = ${lockWaitMs}`).execute(transaction);
        // One look into the index for each series.
        const others = await sql`select 1 as one from series where experiment_uid <> ${experimentUid}
          and exists (select 1 from ${partition} where series_id = series.id) limit 1`.execute(transaction);
        if (others.rows.length > 0) return false;
        await asIs(`truncate ${name}`).execute(transaction);
        return true;
      }),
    );
    return isEmptied ? readings : 0;
  }

  async #dropEmpty(nowMs: number): Promise<void> {
    for (const { name, range } of await partitionsOf(this.#database)) {
      if (range === undefined || range[0] === Number.NEGATIVE_INFINITY || range[1] > monthStart(nowMs, 0)) continue;
      await this.#locked(() =>
        this.#database.write(async (transaction) => {
          await sql.raw(`set local lock_timeout = ${lockWaitMs}`).execute(transaction);
          const { rows } = await sql`select 1 as one from ${sql.table(name)} limit 1`.execute(transaction);
          if (rows.length === 0) await asIs(`drop table ${name}`).execute(transaction);
        }),
      );
    }
  }

  /** Undefined: other queries use the table, or the store is too large for it. */
  async #locked<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError && ['busy', 'write_time_limit'].includes(error.code)) return undefined;
      throw error;
    }
  }
}
