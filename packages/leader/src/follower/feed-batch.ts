import type { FeedAnswer, FeedRecord } from '@lcs/contract';
import type { FeedBatch, FeedMark } from './ingest-port.ts';

/** Older than this when it was sent, a record is backfill; in microseconds. */
const freshUs = 30_000_000;

/** Pure: what has to be stored of an answer, given how far the leader is. */
export function batchOf(answer: FeedAnswer, mark: FeedMark): FeedBatch {
  const after = answer.epoch === mark.epoch ? mark.seq : 0;
  const wall0 = new Map(answer.boots.map((boot) => [boot.boot, boot.wall0]));
  const records = answer.records
    .filter(({ seq }) => seq > after)
    .map((record) => ({ record: inWallTime(record, wall0), backfill: isBackfill(record, answer) }));
  const forgotten = forgottenOf(answer, after);
  // What the unit keeps no more it will never send: the mark need not wait for it.
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

/** A record from before the unit knew the time gets the time it has learned since; its flag stays. */
function inWallTime(record: FeedRecord, wall0: ReadonlyMap<number, number | null>): FeedRecord {
  if (record.unsynced !== true) return record;
  const start = wall0.get(record.boot) ?? undefined;
  return start === undefined ? record : { ...record, at: Math.floor(start + record.mono / 1_000) };
}

const isBackfill = ({ boot, mono }: FeedRecord, answer: FeedAnswer): boolean =>
  boot !== answer.boot || answer.mono - mono > freshUs;

function forgottenOf({ first_seq, acked_seq }: FeedAnswer, after: number): FeedBatch['forgotten'] {
  // Only what was acknowledged is forgotten without a gap record of the unit's own.
  if (after >= acked_seq || first_seq <= after + 1) return undefined;
  return { fromSeq: after + 1, toSeq: Math.min(first_seq - 1, acked_seq) };
}
