import type { FeedAnswer, FeedRecord } from '@lcs/contract';
import type { FeedBatch, FeedMark } from './ingest-port.ts';

/** A record that was older than this when it was sent is backfill; in microseconds. */
const freshUs = 30_000_000;

/** Pure: the part of a response to be stored, given the mark of the leader. */
export function batchOf(answer: FeedAnswer, mark: FeedMark): FeedBatch {
  const after = answer.epoch === mark.epoch ? mark.seq : 0;
  const wall0 = new Map(answer.boots.map((boot) => [boot.boot, boot.wall0]));
  const records = answer.records
    .filter(({ seq }) => seq > after)
    .map((record) => ({ record: inWallTime(record, wall0), backfill: isBackfill(record, answer) }));
  const forgotten = forgottenOf(answer, after);
  // The unit will never send records that it has dropped: the mark need not wait for them.
  const upTo = Math.max(records.at(-1)?.record.seq ?? after, forgotten?.toSeq ?? after);
  return {
    unit: answer.reactor_unit,
    epoch: answer.epoch,
    after,
    upTo,
    headSeq: answer.head_seq,
    series: answer.series,
    records,
    forgotten,
  };
}

/** A record from before the unit knew the time gets its corrected time; its flag remains. */
function inWallTime(record: FeedRecord, wall0: ReadonlyMap<number, number | null>): FeedRecord {
  if (record.unsynced !== true) return record;
  const start = wall0.get(record.boot) ?? undefined;
  return start === undefined ? record : { ...record, at: Math.floor(start + record.mono / 1_000) };
}

const isBackfill = ({ boot, mono }: FeedRecord, answer: FeedAnswer): boolean =>
  boot !== answer.boot || answer.mono - mono > freshUs;

function forgottenOf({ first_seq, acked_seq }: FeedAnswer, after: number): FeedBatch['forgotten'] {
  // Only acknowledged records are dropped without a gap record of the unit.
  if (after >= acked_seq || first_seq <= after + 1) return undefined;
  return { fromSeq: after + 1, toSeq: Math.min(first_seq - 1, acked_seq) };
}
