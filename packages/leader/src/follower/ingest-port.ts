import type { FeedRecord, FeedSeries } from '@lcs/contract';
import type { BulkStatement } from '@lcs/platform';

/** How far the leader has stored the feed of a unit. */
export interface FeedMark {
  readonly epoch: string;
  readonly seq: number;
}

/** A record as it shall be stored. */
export interface IngestRecord {
  /** `at` is mapped to wall time already. */
  readonly record: FeedRecord;
  /** Old news: stored and charted, but nothing acts on it. */
  readonly backfill: boolean;
}

/** What one transaction stores. */
export interface FeedBatch {
  readonly unit: string;
  readonly epoch: string;
  /** Mark before and after the batch. */
  readonly after: number;
  readonly upTo: number;
  /** The newest record the unit had when it answered. */
  readonly headSeq: number;
  /** `record.series` is a position in this list. */
  readonly series: readonly FeedSeries[];
  readonly records: readonly IngestRecord[];
  /** Records that the unit gave to someone else, or to an earlier state of this leader, and keeps no more. */
  readonly forgotten: { readonly fromSeq: number; readonly toSeq: number } | undefined;
}

/** Receives all batches of all units. */
export interface BatchSubscriber {
  /** Further rows of the transaction that stores the batch. */
  readonly statements?: (batch: FeedBatch) => readonly BulkStatement[];
  /** The batch is on disk; it may come again after a failure. Must not throw. */
  readonly stored?: (batch: FeedBatch) => void;
}

/** Where the followers put what they read. */
export interface IngestPort {
  /** The mark of the newest epoch that was stored for this unit. */
  mark(unit: string): Promise<FeedMark | undefined>;
  /**
   * Stores the rows and moves the mark to `upTo` in one transaction that is on disk when the promise resolves. A batch may
   * come again after a failure: what is at or below the mark is skipped.
   */
  ingest(batch: FeedBatch): Promise<void>;
  /**
   * The disk of the unit went back in time to this mark, so that later numbers of the epoch stand for other records than
   * those that are stored: they are stored when they come, and what is stored already is known by what it is. On disk when
   * the promise resolves; does nothing for an epoch that was never stored.
   */
  rewind(unit: string, mark: FeedMark): Promise<void>;
}
