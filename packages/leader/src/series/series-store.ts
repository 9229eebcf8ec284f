import { type Clock, type Log, readsOver, type Service } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { Kysely } from 'kysely';
import type { LeaderDatabase, LeaderSchema } from '../core/leader-context.ts';
import type { LogPageReader } from './log-page.ts';
import { SeriesAnswers } from './series-answers.ts';
import { SeriesChanges } from './series-changes.ts';
import { SeriesIds } from './series-ids.ts';
import { SeriesIngest } from './series-ingest.ts';
import { SeriesReaders, type StartReader } from './series-readers.ts';

export interface SeriesStoreOptions {
  readonly database: LeaderDatabase;
  /** Of `database`, for the reading threads. */
  readonly place: StorePlace;
  readonly startReader?: StartReader | undefined;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
}

/** The time series of a leader: writing, reading, and their shared state. */
export interface SeriesStore {
  readonly ids: SeriesIds;
  readonly changes: SeriesChanges;
  readonly ingest: SeriesIngest;
  readonly answers: SeriesAnswers;
  /** Reads in the same threads; for queries that would block the main thread. */
  readonly read: Kysely<LeaderSchema>;
  /** Reads pages of the event log in the same threads. */
  readonly logPages: LogPageReader;
  /** Start it after the database, and stop it before. */
  readonly readers: Service;
}

export function createSeriesStore({ database, place, startReader, clock, wire, log }: SeriesStoreOptions): SeriesStore {
  const changes = new SeriesChanges();
  const ids = new SeriesIds(database);
  const readers = new SeriesReaders({ place, startReader, wire, log });
  return {
    ids,
    changes,
    ingest: new SeriesIngest(database, ids, changes),
    answers: new SeriesAnswers({ readers, changes, now: () => clock.now() }),
    read: readsOver<LeaderSchema>((sql, values) => readers.rows({ sql, values })),
    logPages: readers,
    readers,
  };
}
