import { DatabaseSync } from 'node:sqlite';
import type { SqlReader } from '@lcs/platform/sql-reader';
import type { Ledger, LedgerRecord } from './ledger.ts';

type Row = Readonly<Record<string, unknown>>;

/** What a unit has committed. */
export interface Committed extends Pick<Ledger, 'unit' | 'series'> {
  readonly records: readonly LedgerRecord[];
}

/** What the leader's store has of a unit, compared with what the unit had committed. */
export interface Comparison {
  readonly committed: number;
  readonly readings: number;
  /** Committed, not stored, and without a gap record. */
  readonly lost: readonly string[];
  /** Stored, and the unit has not committed it. */
  readonly invented: readonly string[];
  /** Numbers that the unit had given and thinned out again before its outbox was read from outside. */
  readonly unseen: number;
  /** Stored more than once. */
  readonly doubled: readonly string[];
  /** Lost by thinning, according to gap records. */
  readonly thinned: number;
}

/** The leader's database, read after the leader has ended. */
export class StoredRecords implements Disposable {
  readonly #database: Pick<SqlReader, 'prepare' | 'close'>;

  /** @param place its data folder, or a reader of its store in PostgreSQL, which is closed in the end */
  constructor(place: string | SqlReader) {
    this.#database =
      typeof place === 'string' ? new DatabaseSync(`${place}/storage/leader.sqlite`, { readOnly: true }) : place;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  rows(sql: string, ...values: (string | number)[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  /** `upTo`: the last record that must be there. */
  compare(ledger: Committed, machineId: string, upTo: number): Comparison {
    const expected = this.#expected(ledger);
    const found = new Map<string, number>();
    for (const key of this.#found(ledger.unit, machineId)) found.set(key, (found.get(key) ?? 0) + 1);
    const isInGap = gapsOf(ledger.records);
    const unseen = unseenIn(ledger.records).filter(isInGap).length;
    const unknown = [...found.keys()].filter((key) => !expected.has(key));
    const missing = [...expected].flatMap(([key, seqs]) =>
      seqs.slice(found.get(key) ?? 0).flatMap((seq) => (seq <= upTo ? [{ key, seq }] : [])),
    );
    return {
      committed: ledger.records.length,
      readings: ledger.records.filter(({ series }) => series !== null).length,
      lost: missing.filter(({ seq }) => !isInGap(seq)).map(({ key, seq }) => `${seq}: ${key}`),
      thinned: missing.filter(({ seq }) => isInGap(seq)).length,
      unseen,
      // The leader may have received a record that was thinned out before the test read it, but no more of them than existed.
      invented: unknown.length <= unseen ? [] : unknown,
      doubled: [...found].filter(([key, count]) => count > (expected.get(key)?.length ?? count)).map(([key]) => key),
    };
  }

  /** What each committed record must be in the store, and its numbers in the feed. */
  #expected(ledger: Committed): Map<string, number[]> {
    const series = ledger.series();
    const derivations = new Map(this.rows('select id, key from derivations').map(({ id, key }) => [String(key), id]));
    const expected = new Map<string, number[]>();
    const expect = (key: string, seq: number) => expected.set(key, [...(expected.get(key) ?? []), seq]);
    for (const { seq, boot, mono, at, series: id, value, more } of ledger.records) {
      const { kind } = more;
      if (id !== null) {
        const { experiment_uid, source, channel, angle, derivation } = series.get(id) ?? {};
        const key: unknown =
          typeof derivation === 'object' && derivation !== null ? Reflect.get(derivation, 'key') : '';
        const derivationId = key === '' ? null : (derivations.get(String(key)) ?? 'unknown');
        const moment = more.unsynced === true ? 'unsynced' : at;
        expect(readingKey([experiment_uid, source, channel, angle, derivationId, moment, value]), seq);
      } else if (kind === 'log' || kind === 'event' || kind === 'gap') {
        expect(`${kind} ${boot} ${mono}`, seq);
      }
    }
    return expected;
  }

  /**
   * The same keys of what is there. A reading that the store has moved counts where it came from; one from before its unit
   * knew the time has got a time that only the leader need know, and is told by its value.
   */
  #found(unit: string, machineId: string): string[] {
    const readings = this.rows(
      `select s.experiment_uid, s.source, s.channel, s.angle, s.derivation_id, d.value,
         ifnull(f.flags, 0) & 1 as is_unsynced, ifnull(f.moved_from, d.at) as moment
       from series s join samples d on d.series_id = s.id
       left join sample_flags f on f.series_id = d.series_id and f.at = d.at where s.unit = ?`,
      unit,
    );
    const notes = (['log', 'event', 'gap'] as const).flatMap((kind) =>
      this.rows(`select boot, mono from ${kind}s where machine_id = ?`, machineId).map(
        ({ boot, mono }) => `${kind} ${boot} ${mono}`,
      ),
    );
    return [
      ...readings.map(({ experiment_uid, source, channel, angle, derivation_id, is_unsynced, moment, value }) => {
        const at = is_unsynced === 1 ? 'unsynced' : moment;
        return readingKey([experiment_uid, source, channel, angle, derivation_id, at, value]);
      }),
      ...notes,
    ];
  }

  /** Buckets of roll-ups that are not what a fresh build from the samples gives. */
  wrongBuckets(): string[] {
    const wrong: string[] = [];
    const levels = [
      ['rollup_1m', 60_000],
      ['rollup_10m', 600_000],
      ['rollup_1h', 3_600_000],
    ] as const;
    for (const { id } of this.rows('select id from series')) {
      const samples = this.rows('select at, value from samples where series_id = ? order by at', Number(id)).map(
        ({ at, value }) => ({ at: Number(at), value: Number(value) }),
      );
      for (const [table, widthMs] of levels) {
        const stored = this.rows(`select * from ${table} where series_id = ? order by bucket`, Number(id)).map(asText);
        const fresh = freshBuckets(Number(id), samples, widthMs).map(asText);
        if (stored.join('\n') !== fresh.join('\n')) wrong.push(`${table} of series ${id}`);
      }
    }
    return wrong;
  }
}

/** Whether a number lies in a gap that the unit itself has recorded. */
function gapsOf(records: readonly Pick<LedgerRecord, 'more'>[]): (seq: number) => boolean {
  const gaps = records.filter(({ more }) => more.kind === 'gap').map(({ more }) => more);
  return (seq) => gaps.some((gap) => Number(gap.from_seq) <= seq && seq <= Number(gap.to_seq));
}

/** Numbers between the first and the last record that are not there. */
function unseenIn(records: readonly Pick<LedgerRecord, 'seq'>[]): number[] {
  return records.flatMap(({ seq }, index) => {
    const before = records[index - 1]?.seq ?? seq - 1;
    return Array.from({ length: seq - before - 1 }, (_, place) => before + 1 + place);
  });
}

const readingKey = (parts: readonly unknown[]) => JSON.stringify(parts.map((part) => part ?? null));

/** Sums are compared to nine digits: they depend on the order of adding. */
const asText = ({ sum, ...rest }: Row) => JSON.stringify([Number(sum).toPrecision(9), ...Object.entries(rest).sort()]);

function freshBuckets(
  id: number,
  samples: readonly { readonly at: number; readonly value: number }[],
  widthMs: number,
) {
  const groups = Map.groupBy(samples, ({ at }) => Math.floor(at / widthMs) * widthMs);
  return [...groups].map(([bucket, inside]) => {
    const lowest = inside.reduce((one, other) => (other.value < one.value ? other : one));
    const highest = inside.reduce((one, other) => (other.value > one.value ? other : one));
    return {
      series_id: id,
      bucket,
      n: inside.length,
      sum: inside.reduce((sum, { value }) => sum + value, 0),
      min: lowest.value,
      at_min: lowest.at,
      max: highest.value,
      at_max: highest.at,
      first_at: inside[0]?.at,
      first: inside[0]?.value,
      last_at: inside.at(-1)?.at,
      last: inside.at(-1)?.value,
    };
  });
}
