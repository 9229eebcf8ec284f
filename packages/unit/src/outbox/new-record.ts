import type { FeedRecord, FeedSample, FeedSeries } from '@lcs/contract';

type Unnumbered<Kind> = Kind extends FeedRecord ? Omit<Kind, 'seq' | 'boot' | 'mono' | 'at' | 'unsynced'> : never;

/** A reading with its series. */
export type NewSample = Omit<Unnumbered<FeedSample>, 'series'> & { readonly series: FeedSeries };

/** Any other record. */
export type NewNote = Unnumbered<Exclude<FeedRecord, FeedSample>>;

/** A new record; the outbox adds number and time. */
export type NewRecord = NewSample | NewNote;
