import type { TimelineEntry } from '@lcs/contract';
import type { LeaderReader } from '../queries/experiments.ts';

/** A place in the order of one kind of entries: newest first, and of the same moment the highest ID first. */
export interface TimelinePosition {
  /** Milliseconds. */
  readonly at: number;
  readonly id: number;
}

/** Which entries of one kind to read; an absent field does not filter. */
export interface TimelineFilter {
  readonly experimentId: number;
  readonly experimentUid: string;
  readonly experiment: string;
  /** Of the experiment, milliseconds: another one of its name may have existed before. */
  readonly createdAt: number;
  /** Milliseconds; null: it has not ended. */
  readonly endedAt: number | null;
  readonly unit?: string;
  /** Person or program. */
  readonly by?: string;
  /** Milliseconds: from this time on, and before the other. */
  readonly since?: number;
  readonly until?: number;
  /** Only entries after this position. */
  readonly before?: TimelinePosition;
  readonly limit: number;
}

export interface FoundEntry extends TimelinePosition {
  readonly entry: TimelineEntry;
}

/**
 * Reads entries of one kind in their order, at most `limit`. Entries with equal positions are not divided: they may be more than the limit.
 */
export type TimelineSource = (reads: LeaderReader, filter: TimelineFilter) => Promise<readonly FoundEntry[]>;

/** The fields that most kinds do not have. */
export const withoutFacts = {
  since: null,
  until: null,
  why: null,
  by: null,
  volumes_ml: null,
  refused: false,
  automation: null,
  note: null,
  alarm_id: null,
  severity: null,
  run_id: null,
  stops: null,
} as const satisfies Partial<TimelineEntry>;

/** Whether one position is shown after another. */
export const isAfter = (one: TimelinePosition, other: TimelinePosition): boolean =>
  one.at < other.at || (one.at === other.at && one.id < other.id);
