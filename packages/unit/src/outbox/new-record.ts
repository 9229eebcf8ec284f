import type { FeedRecord, FeedSample, FeedSeries } from '@lcs/contract';

type Unnumbered<Kind> = Kind extends FeedRecord ? Omit<Kind, 'seq' | 'boot' | 'mono' | 'at' | 'unsynced'> : never;

/** A reading, with what it is a reading of. */
export type NewSample = Omit<Unnumbered<FeedSample>, 'series'> & { readonly series: FeedSeries };

/** Anything else a unit wants remembered. */
export type NewNote = Unnumbered<Exclude<FeedRecord, FeedSample>>;

/** What is appended: number and time are given by the outbox. */
export type NewRecord = NewSample | NewNote;
