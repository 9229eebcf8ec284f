import type { FeedRecord, FeedSeries } from '@lcs/contract';
import type { BulkStatement } from '@lcs/platform';

/** The position up to which the leader has stored the feed of a unit. */
export interface FeedMark {
  readonly epoch: string;
  readonly seq: number;
}

/** A record in the form to be stored. */
export interface IngestRecord {
  /** `at` is already converted to wall time. */
  readonly record: FeedRecord;
  /** A late record: it is stored and charted, but triggers nothing. */
  readonly backfill: boolean;
}

/** The content of one transaction. */
export interface FeedBatch {
  readonly unit: string;
  readonly epoch: string;
  /** Mark before and after the batch. */
  readonly after: number;
  readonly upTo: number;
  /** The newest record of the unit at its response. */
  readonly headSeq: number;
  /** `record.series` is a position in this list. */
  readonly series: readonly FeedSeries[];
  readonly records: readonly IngestRecord[];
  /** Records that the unit sent to another leader, or to an earlier state of this one, and has dropped. */
  readonly forgotten: { readonly fromSeq: number; readonly toSeq: number } | undefined;
}

/** Receives all batches of all units. */
export interface BatchSubscriber {
  /** Further rows of the transaction that stores the batch. */
  readonly statements?: (batch: FeedBatch) => readonly BulkStatement[];
  /** The batch is on disk; it may be repeated after a failure. Must not throw. */
  readonly stored?: (batch: FeedBatch) => void;
}

/** Where the followers store the records. */
export interface IngestPort {
  /** The mark of the newest epoch that was stored for this unit. */
  mark(unit: string): Promise<FeedMark | undefined>;
  /**
   * Stores the rows and moves the mark to `upTo` in one transaction that is on disk when the promise resolves. A batch may be repeated after a
   * failure: records at or below the mark are skipped.
   */
  ingest(batch: FeedBatch): Promise<void>;
  /**
   * The disk of the unit went back to this mark, so that later numbers of the epoch belong to other records than the stored ones: those are
   * stored when they arrive, and stored records are recognised by their content. On disk when the promise resolves; does
   * nothing for an epoch that was never stored.
   */
  rewind(unit: string, mark: FeedMark): Promise<void>;
}
