import type { DatabaseSync } from 'node:sqlite';
import type { RowsWanted } from './row-source.ts';

/** A line of readings that a dataset has in it. */
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

/** The series of these sources, of experiments that live; of a derived one those that are shown. */
export function storedSeries(
  database: DatabaseSync,
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
      order by e.name, s.unit, s.source, s.channel, s.id`,
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

/** Where one of several lines of values stands. */
export interface Cursor {
  /** Moment of the current value, ms. */
  at: number;
  value: number;
  /** Goes to the next value; false when there is none. To be called before the first. */
  next(): boolean;
}

export type SampleWindow = Pick<RowsWanted, 'fromMs' | 'toMs' | 'order' | 'batch'>;

/** Rows of all series together that may be at hand: a row takes about a hundred bytes. */
const mostRowsAtHand = 200_000;
/** Fewer would be a question to the database for every few rows. */
const leastBatch = 10;

/** How many rows of each series are read at a time when so many series are read side by side. */
export const batchFor = (lines: number, batch: number): number =>
  Math.min(batch, Math.max(leastBatch, Math.floor(mostRowsAtHand / Math.max(1, lines))));

/** Reads the samples of many series, a batch of each at a time, through the same statements. */
export class SampleReader {
  readonly #window: SampleWindow;
  readonly #isDescending: boolean;
  readonly #read: (seriesId: number, from: number, to: number) => readonly unknown[];

  constructor(database: DatabaseSync, window: SampleWindow) {
    this.#window = window;
    this.#isDescending = window.order === 'descending';
    const statement = database.prepare(
      `select at, value from main.samples where series_id = ? and at >= ? and at <= ?
      order by at ${this.#isDescending ? 'desc' : 'asc'} limit ?`,
    );
    statement.setReturnArrays(true);
    this.#read = (seriesId, from, to) => statement.all(seriesId, from, to, window.batch);
  }

  /** A cursor over one series. */
  open(seriesId: number): Cursor {
    let from = this.#window.fromMs ?? Number.MIN_SAFE_INTEGER;
    let to = this.#window.toMs ?? Number.MAX_SAFE_INTEGER;
    let rows: readonly unknown[] = [];
    let position = 0;
    let isEnd = false;
    const refill = (): boolean => {
      if (isEnd) return false;
      rows = this.#read(seriesId, from, to);
      position = 0;
      isEnd = rows.length < this.#window.batch;
      return rows.length > 0;
    };
    const cursor: Cursor = {
      at: 0,
      value: 0,
      next: () => {
        if (position >= rows.length && !refill()) return false;
        const row = rows[position];
        position += 1;
        if (!Array.isArray(row)) throw new TypeError('A sample is no row of two columns.');
        cursor.at = row[0];
        cursor.value = row[1];
        // The key is (series, moment): the next batch begins beside this one.
        if (this.#isDescending) to = cursor.at - 1;
        else from = cursor.at + 1;
        return true;
      },
    };
    return cursor;
  }
}

/** About how many samples these series have in the window: whole hours are counted. */
export function expectedSamples(
  database: DatabaseSync,
  series: readonly StoredSeries[],
  { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER }: Pick<RowsWanted, 'fromMs' | 'toMs'>,
): number {
  const hour = 3_600_000;
  const statement = database.prepare(
    'select ifnull(sum(n), 0) as n from main.rollup_1h where series_id = ? and bucket > ? and bucket <= ?',
  );
  return series.reduce((total, { id }) => total + Number(statement.get(id, fromMs - hour, toMs)?.n ?? 0), 0);
}
