import { dayMs, hourMs, minuteMs } from '@lcs/contract/durations';
import type { SqlReader } from '@lcs/platform/sql-reader';
import { type Point, SealedReadings } from '../../sealed/sealed-readings.ts';
import type { Cursor } from './merge.ts';
import type { RowSelection } from './row-source.ts';

/** A series of readings in a dataset. */
export interface StoredSeries {
  readonly id: number;
  readonly experimentUid: string;
  readonly experiment: string;
  readonly unit: string;
  readonly source: string;
  readonly channel: string | null;
  readonly angle: number | null;
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** The series of these sources, of existing experiments; of a derived source the active ones. */
export function storedSeries(
  database: SqlReader,
  sources: readonly string[],
  experiments: readonly string[] | undefined,
): StoredSeries[] {
  const named = experiments === undefined ? '' : `and e.name in (${marks(experiments)})`;
  return database
    .prepare(
      `select s.id, s.experiment_uid as uid, e.name, s.unit, s.source, s.channel, s.angle
      from main.series s
      join main.experiments e on e.uid = s.experiment_uid and e.deleting_at is null
      where s.source in (${marks(sources)}) and s.hidden = 0 ${named}
      order by e.name, s.unit, s.source, s.channel nulls first, s.id`,
    )
    .all(...sources, ...(experiments ?? []))
    .map((row) => ({
      id: Number(row.id),
      experimentUid: String(row.uid),
      experiment: String(row.name),
      unit: String(row.unit),
      source: String(row.source),
      channel: row.channel === null ? null : String(row.channel),
      angle: row.angle === null ? null : Number(row.angle),
    }));
}

export type SampleWindow = Pick<RowSelection, 'fromMs' | 'toMs' | 'order' | 'batch'>;

/** The limit of buffered rows of all series together: a row takes about a hundred bytes. */
const mostRowsAtHand = 200_000;
/** With fewer, the database would be queried for every few rows. */
const leastBatch = 10;

/** Rows that are read of each series at a time, for this number of parallel series. */
export const batchFor = (lines: number, batch: number): number =>
  Math.min(batch, Math.max(leastBatch, Math.floor(mostRowsAtHand / Math.max(1, lines))));

const arePoints = (rows: readonly unknown[]): rows is readonly Point[] =>
  rows.every((row) => Array.isArray(row) && row.length === 2);

/** Reads the samples of many series, stored and sealed, a batch of each at a time, with the same statements. */
export class SampleReader {
  readonly #sealed: SealedReadings;
  readonly #window: SampleWindow;
  readonly #isDescending: boolean;
  readonly #read: (seriesId: number, from: number, to: number) => readonly Point[];

  constructor(database: SqlReader, window: SampleWindow) {
    this.#sealed = new SealedReadings(database, 'main.');
    const isDescending = window.order === 'descending';
    this.#window = window;
    this.#isDescending = isDescending;
    const statement = database.prepare(
      `select at, value from main.samples where series_id = ? and at >= ? and at <= ?
      order by at ${this.#isDescending ? 'desc' : 'asc'} limit ?`,
    );
    statement.setReturnArrays(true);
    this.#read = (seriesId, from, to) => {
      // An export takes longer than a month that is being sealed keeps its rows.
      this.#sealed.refresh();
      this.#sealed.has(seriesId, from, to);
      const stored: readonly unknown[] = statement.all(seriesId, from, to, window.batch);
      if (!arePoints(stored)) throw new TypeError('A sample is no row of two columns.');
      return this.#sealed.merged(stored, seriesId, { from, to, limit: window.batch, isDescending });
    };
  }

  close(): void {
    this.#sealed.close();
  }

  /** A cursor over one series. */
  open(seriesId: number): Cursor {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER } = this.#window;
    return new SampleCursor(this.#isDescending, this.#window.batch, fromMs, toMs, (from, to) =>
      this.#read(seriesId, from, to),
    );
  }
}

/** Copies each batch into number arrays at once, so that the objects of the database are short-lived. */
class SampleCursor implements Cursor {
  at = 0;
  value = 0;
  readonly #isDescending: boolean;
  readonly #batch: number;
  readonly #read: (from: number, to: number) => readonly Point[];
  readonly #moments: number[] = [];
  readonly #values: number[] = [];
  #from: number;
  #to: number;
  #length = 0;
  #position = 0;
  #isEnd = false;

  constructor(
    isDescending: boolean,
    batch: number,
    from: number,
    to: number,
    read: (from: number, to: number) => readonly Point[],
  ) {
    this.#isDescending = isDescending;
    this.#batch = batch;
    this.#from = from;
    this.#to = to;
    this.#read = read;
  }

  next(): boolean {
    if (this.#position >= this.#length && !this.#refill()) return false;
    this.at = this.#moments[this.#position] ?? 0;
    this.value = this.#values[this.#position] ?? 0;
    this.#position += 1;
    return true;
  }

  #refill(): boolean {
    if (this.#isEnd) return false;
    const rows = this.#read(this.#from, this.#to);
    for (const [index, [at, value]] of rows.entries()) {
      this.#moments[index] = at;
      this.#values[index] = value;
    }
    this.#position = 0;
    this.#length = rows.length;
    this.#isEnd = rows.length < this.#batch;
    // The key is (series, time): the next batch begins after the last row of this one.
    const last = this.#moments[rows.length - 1];
    if (last === undefined) return false;
    if (this.#isDescending) this.#to = last - 1;
    else this.#from = last + 1;
    return true;
  }
}

type Window = Pick<RowSelection, 'fromMs' | 'toMs'>;

/** In longer windows whole hours are counted, in others whole minutes. */
const longestInMinutes = 2 * dayMs;

/** The sum of an expression over the buckets of each series in the window. */
function sumsOverBuckets(
  database: SqlReader,
  series: readonly StoredSeries[],
  { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER }: Window,
  { ofHour, ofMinute }: { readonly ofHour: string; readonly ofMinute: string },
): readonly number[] {
  const isShort = toMs - fromMs <= longestInMinutes;
  const [table, bucketMs, counted] = isShort ? ['rollup_1m', minuteMs, ofMinute] : ['rollup_1h', hourMs, ofHour];
  const statement = database.prepare(
    `select ifnull(sum(${counted}), 0) as n from main.${table} where series_id = ? and bucket > ? and bucket <= ?`,
  );
  const first = Math.max(fromMs - Number(bucketMs), Number.MIN_SAFE_INTEGER);
  return series.map(({ id }) => Number(statement.get(id, first, toMs)?.n ?? 0));
}

/** The approximate number of samples of these series in the window. */
export const expectedSamples = (database: SqlReader, series: readonly StoredSeries[], window: Window): number =>
  sumsOverBuckets(database, series, window, { ofHour: 'n', ofMinute: 'n' }).reduce((sum, n) => sum + n, 0);

/** The approximate number of minutes in which each of these series has samples. */
export const expectedMinutes = (
  database: SqlReader,
  series: readonly StoredSeries[],
  window: Window,
): readonly number[] => sumsOverBuckets(database, series, window, { ofHour: 'min(n, 60)', ofMinute: '1' });
