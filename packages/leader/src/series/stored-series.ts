import { timeSeriesRoutes } from '@lcs/contract';
import { type Clock, type Log, readsOver, type ServedApi, type Service, serve } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { LeaderSchema } from '../core/leader-context.ts';
import { SeriesAnswers } from './series-answers.ts';
import { SeriesReaders } from './series-readers.ts';
import { storedSeriesHandlers } from './time-series-handlers.ts';

export interface StoredSeriesOptions {
  readonly place: StorePlace;
  /** The number of commits so far that the store has had, of any process. */
  readonly version: () => number;
  readonly wire: Clock;
  readonly log: Log;
}

const {
  getTimeSeries: _any,
  getWorkerTimeSeries: _anyOfWorker,
  listReadingSources: _sources,
  ...stored
} = timeSeriesRoutes;

/** The routes of readings that need nothing but the store. */
export const storedSeriesRoutes = stored;

/** Answers routes of readings in a process that only reads the store of a leader. */
export function createStoredSeries({ place, version, wire, log }: StoredSeriesOptions): {
  readonly api: ServedApi;
  readonly readers: Service;
} {
  const readers = new SeriesReaders({ place, wire, log });
  // Whatever is committed may be a reading.
  const answers = new SeriesAnswers({ readers, changes: { count: version }, now: () => wire.now() });
  const reader = readsOver<LeaderSchema>((sql, values) => readers.rows({ sql, values }));
  return { api: serve(storedSeriesRoutes, storedSeriesHandlers(reader, answers)), readers };
}
