import type { FeedRecord, FeedSample, SampleFlag } from '@lcs/contract';
import type { Stamp } from '../time/unit-time.ts';
import { boundedJson } from './bounded-note.ts';
import type { NewNote, NewSample } from './new-record.ts';
import type { KnownSeries } from './series-cache.ts';
import { rankOfNote } from './thinning-order.ts';

/** A record on its way to the disk; its number comes with the commit. */
export interface PendingRecord {
  readonly stamp: Stamp;
  readonly rank: number;
  readonly series: KnownSeries | undefined;
  readonly value: number | null;
  readonly body: string | null;
}

/** A record as it lies in its table. */
export interface RecordRow {
  readonly seq: number;
  readonly boot: number;
  readonly mono: number;
  readonly at: number;
  readonly series_id: number | null;
  readonly value: number | null;
  readonly body: string | null;
}

/** The further fields of a sample. */
export type SampleExtras = Pick<FeedSample, 'flags' | 'unsynced'>;

/** Size of a row on disk beside its body, in bytes: measured, rounded up. */
export const rowBytes = 40;

export const bytesOf = ({ body }: { readonly body: string | null }): number =>
  rowBytes + (body === null ? 0 : Buffer.byteLength(body));

/**
 * `lastStepMono`: where the time of the boot changed last. A sample that was taken before it comes with a moment of the time
 * before, which must not hold up the moments since.
 */
export function pendingSample(
  sample: NewSample,
  series: KnownSeries,
  stamp: Stamp,
  lastStepMono: number,
): PendingRecord {
  const isOfTimeBefore = stamp.mono < lastStepMono;
  const at = isOfTimeBefore ? stamp.at : Math.max(stamp.at, series.lastAt + 1);
  if (!isOfTimeBefore) series.lastAt = at;
  const flags: readonly SampleFlag[] = at === stamp.at ? (sample.flags ?? []) : [...(sample.flags ?? []), 'moved'];
  const more = { ...(flags.length > 0 && { flags }), ...(stamp.unsynced && { unsynced: true }) };
  const body = flags.length > 0 || stamp.unsynced ? JSON.stringify(more) : null;
  return { stamp: { ...stamp, at }, rank: series.rank, series, value: sample.value, body };
}

export function pendingNote(note: NewNote, stamp: Stamp): PendingRecord {
  const body = boundedJson(note, stamp.unsynced === true);
  return { stamp, rank: rankOfNote(note), series: undefined, value: null, body };
}

/**
 * The row as the feed has it; `position` finds a series in the answer's dictionary, `furtherOf` reads the further fields of
 * a sample.
 */
export function recordOf(
  row: RecordRow,
  position: (seriesId: number) => number,
  furtherOf: (body: string) => SampleExtras = JSON.parse,
): FeedRecord {
  const { seq, boot, mono, at, series_id, value, body } = row;
  if (series_id === null || value === null) return { seq, boot, mono, at, ...JSON.parse(body ?? '{}') };
  const sample: FeedSample = { seq, boot, mono, at, kind: 'sample', series: position(series_id), value };
  return body === null ? sample : { ...sample, ...furtherOf(body) };
}
