import type { FeedAnswer, LogEntry, UnitFault } from '@lcs/contract';
import type { FeedBatch, FeedMark } from '../follower/ingest-port.ts';

/** What an ingest process needs for reading a unit. Null: unknown at present. */
export interface FollowedUnit {
  readonly unit: string;
  readonly url: string | null;
  readonly token: string | null;
  readonly publicKey: string | null;
  readonly machineId: string | null;
  /** Of its enrolment. */
  readonly epoch: string | null;
}

/** Messages of the active process. */
export type ToIngest =
  /** Nothing else; silence means that the sender is gone. */
  | { readonly is: 'alive' }
  /** Read the unit. @property from the position that the active process has taken; null: the stored one */
  | { readonly is: 'follow'; readonly of: FollowedUnit; readonly from: FeedMark | null }
  | { readonly is: 'facts'; readonly of: FollowedUnit }
  | { readonly is: 'enrolled'; readonly unit: string }
  | { readonly is: 'unfollow'; readonly unit: string }
  /** The batch with this number has been taken: the unit may delete its records. */
  | { readonly is: 'taken'; readonly number: number }
  /** Answer when all batches that have begun before are stored. */
  | { readonly is: 'settle'; readonly number: number }
  /** Series were removed or closed. */
  | { readonly is: 'forget series' }
  /** Others read its units: it must end. */
  | { readonly is: 'fenced' };

/** Messages of an ingest process. */
export type FromIngest =
  | { readonly is: 'alive' }
  /** The first one. It reads no unit. */
  | { readonly is: 'hello'; readonly process: string }
  | { readonly is: 'answered'; readonly unit: string; readonly answer: FeedAnswer }
  /** The batch is on disk. */
  | { readonly is: 'stored'; readonly number: number; readonly batch: FeedBatch }
  | { readonly is: 'position'; readonly unit: string; readonly mark: FeedMark }
  /** The entry is in the event log. */
  | { readonly is: 'logged'; readonly entry: LogEntry }
  | { readonly is: 'refused'; readonly unit: string; readonly fault: UnitFault }
  | { readonly is: 'unfollowed'; readonly unit: string }
  | { readonly is: 'settled'; readonly number: number }
  /** A correction of a clock is on disk: samples must be moved. */
  | { readonly is: 'corrected' };

/** Of the upgrade request. */
export const ingestPath = '/ingest';
export const ingestProtocol = 'lcs-ingest';
