import type { FeedBoot } from '@lcs/contract';
import type { Database, Probe } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { OutboxTables } from './outbox-tables.ts';
import { bytesOf, type PendingRecord, type RecordRow, rowBytes } from './record-row.ts';
import type { KnownSeries } from './series-cache.ts';

/** Size and position of the outbox; on disk in one row that changes with the records. */
export interface OutboxState {
  readonly epoch: string;
  /** Newest committed record. */
  readonly head: number;
  /** Newest record that the leader has acknowledged. */
  readonly acked: number;
  readonly records: number;
  /** Approximate size of the records on disk. */
  readonly bytes: number;
}

export interface Commit {
  readonly records: readonly PendingRecord[];
  /** The first of them gets the number after this one. */
  readonly head: number;
  /** Series that are not on disk yet. */
  readonly series: readonly KnownSeries[];
  readonly boot: FeedBoot | undefined;
}

/** Rows per maintenance transaction, so that it takes some hundredths of a second. */
export const maintenanceRows = 20_000;

const insertRecord =
  'insert into outbox_records (seq, boot, mono, at, rank, series_id, value, body) values (?, ?, ?, ?, ?, ?, ?, ?)';
const insertSeries = 'insert into outbox_series (id, key) values (?, ?) on conflict do nothing';
const putBoot = `insert into outbox_boots (boot, wall0, guess0, source) values (?, ?, ?, ?)
  on conflict (boot) do update set wall0 = excluded.wall0, guess0 = excluded.guess0, source = excluded.source`;
const moveHead = 'update outbox_state set head_seq = ?, records = records + ?, bytes = bytes + ? where id = 1';

const sourceOf = (source: string): FeedBoot['source'] => (source === 'ntp' || source === 'leader' ? source : 'none');

/** The outbox's tables. Every change is one transaction and on disk when its promise resolves. */
export class OutboxStore {
  readonly #database: Database<OutboxTables>;
  readonly #probe: Probe;

  /** @param probe called at `outbox.trimming` */
  constructor(database: Database<OutboxTables>, probe: Probe = () => {}) {
    this.#database = database;
    this.#probe = probe;
  }

  /** The state on disk; a new outbox begins with `newEpoch`. */
  async open(newEpoch: () => string): Promise<OutboxState> {
    const known = await this.state();
    if (known !== undefined) return known;
    const epoch = newEpoch();
    await this.#database.write(async (transaction) => {
      await transaction
        .insertInto('outbox_state')
        .values({ id: 1, epoch, head_seq: 0, acked_seq: 0, records: 0, bytes: 0 })
        .execute();
    });
    return { epoch, head: 0, acked: 0, records: 0, bytes: 0 };
  }

  async state(): Promise<OutboxState | undefined> {
    return readState(this.#database.read);
  }

  async series(): Promise<readonly { readonly id: number; readonly key: string }[]> {
    return this.#database.read.selectFrom('outbox_series').select(['id', 'key']).orderBy('id').execute();
  }

  async boots(): Promise<ReadonlyMap<number, FeedBoot>> {
    const rows = await this.#database.read.selectFrom('outbox_boots').selectAll().execute();
    return new Map(rows.map((row) => [row.boot, { ...row, source: sourceOf(row.source) }]));
  }

  /** Returns the growth of the outbox in bytes. */
  async commit({ records, head, series, boot }: Commit): Promise<number> {
    const rows = records.map(({ stamp, rank, series: known, value, body }, index) => [
      head + 1 + index,
      stamp.boot,
      stamp.mono,
      stamp.at,
      rank,
      known?.id ?? null,
      value,
      body,
    ]);
    const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0);
    await this.#database.bulk(
      [
        { sql: insertSeries, rows: series.map(({ id, key }) => [id, key]) },
        { sql: putBoot, rows: boot === undefined ? [] : [[boot.boot, boot.wall0, boot.guess0, boot.source]] },
        { sql: insertRecord, rows },
        { sql: moveHead, rows: [[head + records.length, records.length, bytes]] },
      ],
      { durable: true },
    );
    return bytes;
  }

  /** Records after `after`, at most `limit`, none above `head`. */
  async readAfter(after: number, head: number, limit: number): Promise<readonly RecordRow[]> {
    const { rows } = await sql<RecordRow>`
      select seq, boot, mono, at, series_id, value, body from outbox_records
      where seq > ${after} and seq <= ${head} order by seq limit ${limit}`.execute(this.#database.read);
    return rows;
  }

  /** The newest stored record of other runs of this node than `boot`: the last record of an earlier run. */
  async newestOfOthers(boot: number): Promise<RecordRow | undefined> {
    const { rows } = await sql<RecordRow>`
      select seq, boot, mono, at, series_id, value, body from outbox_records
      where boot <> ${boot} order by seq desc limit 1`.execute(this.#database.read);
    return rows[0];
  }

  /** The oldest record that is kept. */
  async oldest(): Promise<{ readonly seq: number; readonly at: number } | undefined> {
    const query = this.#database.read.selectFrom('outbox_records').select(['seq', 'at']).orderBy('seq').limit(1);
    return query.executeTakeFirst();
  }

  /** Remembers an acknowledgement; a smaller number than before changes nothing. */
  async acknowledge(seq: number): Promise<void> {
    await this.#database.write(async (transaction) => {
      await transaction
        .updateTable('outbox_state')
        .set({ acked_seq: seq })
        .where('id', '=', 1)
        .where('acked_seq', '<', seq)
        .execute();
    });
  }

  /** Begins another numbering: nothing is acknowledged in it yet, and all that is kept belongs to it. */
  async beginEpoch(epoch: string): Promise<void> {
    await this.#database.write(async (transaction) => {
      await transaction.updateTable('outbox_state').set({ epoch, acked_seq: 0 }).where('id', '=', 1).execute();
    });
  }

  /**
   * Forgets the oldest acknowledged records: those before `olderThan` (milliseconds since 1970), or as many as make
   * `bytesToFree`. One slice per call; returns how many went.
   */
  async forget(bound: ForgetBound): Promise<number> {
    // Mostly no record is old enough; the oldest record shows that without a transaction.
    if ('olderThan' in bound && ((await this.oldest())?.at ?? bound.olderThan) >= bound.olderThan) return 0;
    return this.#database.write(async (transaction) => {
      const { last, count, bytes } = await forgettable(transaction, bound);
      if (last === null) return 0;
      await transaction.deleteFrom('outbox_records').where('seq', '<=', last).execute();
      this.#probe('outbox.trimming');
      await shrinkState(transaction, count, bytes);
      return count;
    });
  }
}

type ForgetBound = { readonly olderThan: number } | { readonly bytesToFree: number };

/** The first acknowledged records of one slice that a bound permits to delete; `last` is null when there is none. Only their sums leave the writer. */
async function forgettable(
  transaction: Kysely<OutboxTables>,
  bound: ForgetBound,
): Promise<{ readonly last: number | null; readonly count: number; readonly bytes: number }> {
  const slice = sql`
    select seq, at, ${sql.lit(rowBytes)} + coalesce(octet_length(body), 0) as bytes from outbox_records
    where seq <= (select acked_seq from outbox_state) order by seq limit ${sql.lit(maintenanceRows)}`;
  const going =
    'olderThan' in bound
      ? // The inner query ends at the first record that is young enough.
        sql`select seq, bytes from (${slice})
          where seq < coalesce((select seq from (${slice}) where at >= ${bound.olderThan} limit 1), ${Number.MAX_SAFE_INTEGER})`
      : sql`select seq, bytes from (select seq, bytes, sum(bytes) over (order by seq) - bytes as before from (${slice}))
          where before < ${bound.bytesToFree}`;
  const { rows } = await sql<{ last: number | null; count: number; bytes: number }>`
    select max(seq) as last, count(*) as count, coalesce(sum(bytes), 0) as bytes from (${going})`.execute(transaction);
  return rows[0] ?? { last: null, count: 0, bytes: 0 };
}

/** Takes removed records out of the state's sums, in the transaction that removes them. */
export async function shrinkState(transaction: Kysely<OutboxTables>, records: number, bytes: number): Promise<void> {
  await sql`update outbox_state set records = records - ${records}, bytes = bytes - ${bytes} where id = 1`.execute(
    transaction,
  );
}

async function readState(database: Kysely<OutboxTables>): Promise<OutboxState | undefined> {
  const row = await database.selectFrom('outbox_state').selectAll().executeTakeFirst();
  if (row === undefined) return undefined;
  return { epoch: row.epoch, head: row.head_seq, acked: row.acked_seq, records: row.records, bytes: row.bytes };
}
