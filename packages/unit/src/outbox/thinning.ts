import type { FeedGap } from '@lcs/contract';
import { clusterExperiment } from '@lcs/contract';
import type { Database } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { Stamp } from '../time/unit-time.ts';
import { maintenanceRows, shrinkState } from './outbox-store.ts';
import type { OutboxTables } from './outbox-tables.ts';
import { bytesOf, pendingNote, rowBytes } from './record-row.ts';
import { lowPriorityRank, neverThinned, settingRank, thinnedRanks } from './thinning-order.ts';

/** The records that one round of thinning has deleted. */
export interface Thinned {
  readonly gap: Omit<FeedGap, 'seq' | 'boot' | 'mono' | 'at' | 'unsynced'>;
  readonly records: number;
  readonly bytes: number;
}

interface Candidate {
  readonly seq: number;
  readonly at: number;
  readonly bytes: number;
  readonly name: string;
}

/** So often a rank loses every second of its records before the next rank is touched: an eighth is left. */
const sweepsPerTurn = 3;

/** How far the thinning of one rank has come. */
interface Sweep {
  readonly rank: number;
  /** Records up to here were checked in this sweep. */
  cursor: number;
  sweeps: number;
  /** Records that went in this sweep. */
  removed: number;
}

/**
 * Selects the records to delete when the buffer is too large: rank by rank, from the oldest, every second one of a series and never
 * the first or last of the slice. It keeps its position while the program runs; a restart begins again, which is
 * harmless.
 */
export class Thinning {
  readonly #sweeps: readonly Sweep[] = thinnedRanks.map((rank) => ({ rank, cursor: 0, sweeps: 0, removed: 0 }));

  /**
   * Removes records of one slice and writes their gap record, in one transaction. Undefined when nothing is left that may
   * be thinned.
   */
  async round(database: Database<OutboxTables>, head: number, stamp: () => Stamp): Promise<Thinned | undefined> {
    for (let ends = 0; ends < 2 * this.#sweeps.length; ) {
      const sweep = this.#next();
      if (sweep === undefined) return undefined;
      const { end, thinned } = await database.write((transaction) => thinSlice(transaction, sweep, head, stamp));
      if (end === undefined) {
        ends += 1;
        this.#endSweep(sweep);
        continue;
      }
      sweep.cursor = end;
      if (thinned === undefined) continue;
      sweep.removed += thinned.records;
      return thinned;
    }
    return undefined;
  }

  #endSweep(sweep: Sweep): void {
    // A rank that had nothing to give makes way for the next one at once.
    const turn = Math.floor(sweep.sweeps / sweepsPerTurn);
    sweep.sweeps = sweep.removed === 0 ? (turn + 1) * sweepsPerTurn : sweep.sweeps + 1;
    sweep.cursor = 0;
    sweep.removed = 0;
  }

  /** The rank with the fewest rounds so far, the least valuable of those. */
  #next(): Sweep | undefined {
    let next: Sweep | undefined;
    const turns = ({ sweeps }: Sweep) => Math.floor(sweeps / sweepsPerTurn);
    for (const sweep of this.#sweeps) if (next === undefined || turns(sweep) < turns(next)) next = sweep;
    return next;
  }
}

async function thinSlice(
  transaction: Kysely<OutboxTables>,
  { rank, cursor }: Sweep,
  head: number,
  stamp: () => Stamp,
): Promise<{ readonly end: number | undefined; readonly thinned?: Thinned }> {
  const slice = await sql<{ end: number | null }>`
    select max(seq) as end from (
      select seq from outbox_records where seq > ${cursor} order by seq limit ${sql.lit(maintenanceRows)})`.execute(
    transaction,
  );
  const end = slice.rows[0]?.end ?? undefined;
  if (end === undefined) return { end };
  const candidates = await candidatesOf(transaction, rank, cursor, end);
  const [first] = candidates;
  const last = candidates.at(-1);
  if (first === undefined || last === undefined) return { end };
  const seqs = JSON.stringify(candidates.map(({ seq }) => seq));
  await sql`delete from outbox_records where seq in (select value from json_each(${seqs}))`.execute(transaction);
  const bytes = candidates.reduce((sum, candidate) => sum + candidate.bytes, 0);
  await shrinkState(transaction, candidates.length, bytes);
  const gap = gapOf(candidates, first, last);
  await insertGap(transaction, gap, head, stamp());
  return { end, thinned: { gap, records: candidates.length, bytes } };
}

/** Samples: every second but the last of each series. Settings: those a later one replaced. Chatter: all. */
async function candidatesOf(transaction: Kysely<OutboxTables>, rank: number, after: number, end: number) {
  const group = rank === settingRank ? sql`body ->> 'job_name' || ' ' || (body ->> 'setting')` : sql`series_id`;
  const goes =
    rank === lowPriorityRank
      ? sql`1`
      : rank === settingRank
        ? sql`place < total`
        : sql`place % 2 = 0 and place < total`;
  const name =
    rank === lowPriorityRank
      ? sql`'log:' || (body ->> 'level')`
      : rank === settingRank
        ? sql`'setting'`
        : sql`(select key ->> 'source' from outbox_series where id = series_id)`;
  const { rows } = await sql<Candidate>`
    select seq, at, ${sql.lit(rowBytes)} + coalesce(octet_length(body), 0) as bytes, ${name} as name from (
      select seq, at, body, series_id,
        row_number() over (partition by ${group} order by seq) as place,
        count(*) over (partition by ${group}) as total
      from outbox_records where seq > ${after} and seq <= ${end} and rank = ${rank})
    where ${goes} order by seq`.execute(transaction);
  return rows;
}

function gapOf(candidates: readonly Candidate[], first: Candidate, last: Candidate): Thinned['gap'] {
  const dropped = new Map<string, number>();
  let fromAt = first.at;
  let toAt = first.at;
  for (const { name, at } of candidates) {
    dropped.set(name, (dropped.get(name) ?? 0) + 1);
    fromAt = Math.min(fromAt, at);
    toAt = Math.max(toAt, at);
  }
  const range = { from_seq: first.seq, to_seq: last.seq, from_at: fromAt, to_at: toAt };
  return {
    kind: 'gap',
    experiment_uid: clusterExperiment,
    ...range,
    dropped: Object.fromEntries(dropped),
    reason: 'thinned',
  };
}

async function insertGap(transaction: Kysely<OutboxTables>, gap: Thinned['gap'], head: number, stamp: Stamp) {
  const record = pendingNote(gap, stamp);
  const { boot, mono, at } = stamp;
  const row = { seq: head + 1, boot, mono, at, rank: neverThinned, series_id: null, value: null, body: record.body };
  await transaction.insertInto('outbox_records').values(row).execute();
  await sql`update outbox_state set head_seq = ${head + 1}, records = records + 1, bytes = bytes + ${bytesOf(record)}
    where id = 1`.execute(transaction);
}
