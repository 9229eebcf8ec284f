import { hourMs } from '@lcs/contract/durations';
import type { SqlReader, SqlStatement } from '@lcs/platform/sql-reader';
import { SealedReadings } from '../sealed/sealed-readings.ts';
import { Extremes, gridOver, type Points } from './extremes.ts';
import { type RollupLevel, rollupLevels } from './rollup-levels.ts';

/** A stretch of time: `after < at <= upTo`, ms. */
export interface Window {
  readonly after: number;
  readonly upTo: number;
}

/** The queries; exported for the test of their plans. */
export const windowSql = {
  first: 'select at, value from samples where series_id = ? and at > ? and at <= ? order by at limit 1',
  last: 'select at, value from samples where series_id = ? and at > ? and at <= ? order by at desc limit 1',
  next: 'select at, value from samples where series_id = ? and at > ? order by at limit 1',
  count: 'select count(*) from (select 1 from samples where series_id = ? and at > ? and at <= ? limit ?)',
  /** The readings of the first whole hours, a day of them at most. */
  hours: 'select sum(n) from (select n from rollup_1h where series_id = ? and bucket >= ? and bucket < ? limit 24)',
  /** The readings of all hours that begin after one moment and not after another. */
  hoursBetween: 'select sum(n) from rollup_1h where series_id = ? and bucket > ? and bucket <= ?',
  samples: 'select at, value from samples where series_id = ? and at > ? and at <= ? order by at limit ?',
  rollup: ({ table }: RollupLevel) =>
    `select at_min, min, at_max, max from ${table} where series_id = ? and bucket >= ? and bucket < ?`,
};

/** Readings that are read at a time: a small number, so that their objects are short-lived. */
const readingsAtATime = 4_096;

type NumberRow = readonly number[];
type PointRow = readonly [at: number, value: number];

interface End {
  readonly at: number;
  readonly value: number;
}

interface Ends {
  readonly first: End;
  readonly last: End;
}

/**
 * Reads readings of one line of a chart, all or reduced, from the store and from sealed months. A line may consist of several series.
 */
export class WindowReader {
  readonly #sealed: SealedReadings;
  readonly #first: SqlStatement;
  readonly #last: SqlStatement;
  readonly #next: SqlStatement;
  readonly #count: SqlStatement;
  readonly #hours: SqlStatement;
  readonly #hoursBetween: SqlStatement;
  readonly #samples: SqlStatement;
  readonly #rollups: readonly SqlStatement[];

  constructor(connection: SqlReader) {
    this.#sealed = new SealedReadings(connection);
    const prepare = (sql: string) => {
      const statement = connection.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#first = prepare(windowSql.first);
    this.#last = prepare(windowSql.last);
    this.#next = prepare(windowSql.next);
    this.#count = prepare(windowSql.count);
    this.#hours = prepare(windowSql.hours);
    this.#hoursBetween = prepare(windowSql.hoursBetween);
    this.#samples = prepare(windowSql.samples);
    this.#rollups = rollupLevels.map((level) => prepare(windowSql.rollup(level)));
  }

  /** Call it before the questions of a response: sealed months are those of that moment. */
  refresh(): void {
    this.#sealed.refresh();
  }

  close(): void {
    this.#sealed.close();
  }

  /** The number of readings in the window, counted up to `most`. */
  count(ids: readonly number[], { after, upTo }: Window, most: number): number {
    let total = 0;
    for (const id of ids) total += this.#countOf(id, { after, upTo }, most - total);
    return total;
  }

  #countOf(id: number, { after, upTo }: Window, most: number): number {
    if (!this.#sealed.has(id, after + 1, upTo)) return Number(numbers(this.#count.all(id, after, upTo, most))[0]?.[0]);
    let total = 0;
    for (const _ of this.#rows(id, { after, upTo })) {
      if (total >= most) break;
      total += 1;
    }
    return total;
  }

  /** Whether more than `most` readings lie in the window. Usually its hours decide without counting. */
  exceeds(ids: readonly number[], window: Window, most: number): boolean {
    let inHours = 0;
    const { from, to } = wholeBuckets(window, hourMs);
    if (from < to) for (const id of ids) inHours += numbers(this.#hours.all(id, from, to))[0]?.[0] ?? 0;
    return inHours > most || this.count(ids, window, most + 1) > most;
  }

  /** Bounds of the number of readings in the window, from whole hours: fast, with an error of two hours at most. */
  bounds(ids: readonly number[], { after, upTo }: Window): { readonly atLeast: number; readonly atMost: number } {
    const { from, to } = wholeBuckets({ after, upTo }, hourMs);
    const between = (id: number, low: number, high: number) =>
      numbers(this.#hoursBetween.all(id, low, high))[0]?.[0] ?? 0;
    const sum = (low: number, high: number) => ids.reduce((total, id) => total + between(id, low, high), 0);
    return { atLeast: sum(from - 1, to - 1), atMost: sum(after - hourMs, upTo) };
  }

  /** The time of the first reading of the window, ms; infinite when there is none. */
  firstAt(ids: readonly number[], { after, upTo }: Window): number {
    return Math.min(...ids.map((id) => this.#firstOf(id, { after, upTo })?.[0] ?? Number.POSITIVE_INFINITY));
  }

  /** The time of the first reading after `at`, ms; infinite when there is none. */
  nextAfter(ids: readonly number[], at: number): number {
    const next = ids.map((id) => {
      const [stored] = this.#withSealed(this.#next.all(id, at), id, { after: at, upTo: Number.MAX_SAFE_INTEGER }, 1);
      return stored?.[0] ?? Number.POSITIVE_INFINITY;
    });
    return Math.min(...next);
  }

  /** Every reading of the window, ascending. */
  all(ids: readonly number[], window: Window): Points {
    const [only] = ids;
    if (ids.length !== 1 || only === undefined) return this.#merged(ids, window);
    const points: Points = { at: [], value: [] };
    for (const row of this.#rows(only, window)) {
      points.at.push(momentIn(row));
      points.value.push(valueIn(row));
    }
    return points;
  }

  /**
   * At most `target` readings: 1 is the newest, 2 and 3 the ends; from 4 on the ends and, for each of up to (target - 2) / 2
   * stretches of time, the lowest and the highest reading. Empty when the window is.
   */
  reduced(ids: readonly number[], window: Window, target: number): Points {
    const ends = this.#ends(ids, window);
    if (!ends) return { at: [], value: [] };
    const { first, last } = ends;
    if (target === 1) return { at: [last.at], value: [last.value] };
    if (target < 4) return { at: [first.at, last.at], value: [first.value, last.value] };
    const groups = Math.floor((target - 2) / 2);
    const level = coarsestLevel(last.at - first.at, groups);
    const stepMs = rollupLevels[level]?.widthMs ?? 1;
    const extremes = new Extremes(gridOver(first.at, last.at, groups, stepMs));
    const inside: Window = { after: first.at - 1, upTo: last.at };
    for (const id of ids) this.#collect(extremes, id, inside, level);
    return extremes.between(first.at, first.value, last.at, last.value);
  }

  /** Whole buckets of the level, and at both edges the finer levels of the incomplete ones. */
  #collect(extremes: Extremes, id: number, { after, upTo }: Window, level: number): void {
    if (after >= upTo) return;
    const statement = this.#rollups[level];
    const widthMs = rollupLevels[level]?.widthMs;
    if (statement === undefined || widthMs === undefined) {
      for (const row of this.#rows(id, { after, upTo })) extremes.add(momentIn(row), valueIn(row));
      return;
    }
    const { from, to } = wholeBuckets({ after, upTo }, widthMs);
    if (from >= to) {
      this.#collect(extremes, id, { after, upTo }, level - 1);
      return;
    }
    for (const [atMin = 0, min = 0, atMax = 0, max = 0] of numbers(statement.all(id, from, to))) {
      extremes.add(atMin, min);
      extremes.add(atMax, max);
    }
    this.#collect(extremes, id, { after, upTo: from - 1 }, level - 1);
    this.#collect(extremes, id, { after: to - 1, upTo }, level - 1);
  }

  #ends(ids: readonly number[], { after, upTo }: Window): Ends | undefined {
    let ends: Ends | undefined;
    for (const id of ids) {
      const firstRow = this.#firstOf(id, { after, upTo });
      const lastRow = this.#lastOf(id, { after, upTo });
      if (!firstRow || !lastRow) continue;
      const first = { at: momentIn(firstRow), value: valueIn(firstRow) };
      const last = { at: momentIn(lastRow), value: valueIn(lastRow) };
      ends = {
        first: ends && ends.first.at <= first.at ? ends.first : first,
        last: ends && ends.last.at >= last.at ? ends.last : last,
      };
    }
    return ends;
  }

  #merged(ids: readonly number[], window: Window): Points {
    const rows = ids.flatMap((id) => [...this.#rows(id, window)]).sort((a, b) => momentIn(a) - momentIn(b));
    return { at: rows.map(momentIn), value: rows.map(valueIn) };
  }

  #firstOf(id: number, window: Window): PointRow | undefined {
    return this.#withSealed(this.#first.all(id, window.after, window.upTo), id, window, 1)[0];
  }

  #lastOf(id: number, window: Window): PointRow | undefined {
    return this.#withSealed(this.#last.all(id, window.after, window.upTo), id, window, 1, true)[0];
  }

  /** Rows of a statement with this limit, with those of sealed months. */
  #withSealed(
    rows: readonly unknown[],
    id: number,
    { after, upTo }: Window,
    limit: number,
    isDescending = false,
  ): readonly PointRow[] {
    return this.#sealed.merged(points(rows), id, { from: after + 1, to: upTo, limit, isDescending });
  }

  *#rows(id: number, { after, upTo }: Window): Generator<NumberRow, void, undefined> {
    for (let from = after; ; ) {
      const stored = this.#samples.all(id, from, upTo, readingsAtATime);
      const rows = this.#withSealed(stored, id, { after: from, upTo }, readingsAtATime);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < readingsAtATime) return;
      from = momentIn(last);
    }
  }
}

/** The buckets of this width that are completely in the window: from `from` on, before `to`. */
const wholeBuckets = ({ after, upTo }: Window, widthMs: number) => ({
  from: Math.ceil((after + 1) / widthMs) * widthMs,
  to: Math.floor((upTo + 1) / widthMs) * widthMs,
});

/**
 * The coarsest level that still fills half of the groups (so that about half of the requested points are returned);
 * -1 for the samples themselves.
 */
function coarsestLevel(spanMs: number, groups: number): number {
  return rollupLevels.findLastIndex(({ widthMs }) => spanMs / widthMs >= groups / 2);
}

const areArrays = (rows: readonly unknown[]): rows is readonly NumberRow[] => rows.every((row) => Array.isArray(row));

/** Rows of a statement that returns arrays, all columns of which are numbers (or null: nothing was added). */
function numbers(rows: readonly unknown[]): readonly NumberRow[] {
  if (!areArrays(rows)) throw new Error('A statement was not prepared to return arrays.');
  return rows;
}

const arePoints = (rows: readonly unknown[]): rows is readonly PointRow[] =>
  rows.every((row) => Array.isArray(row) && row.length === 2);

/** Rows of a statement that returns times and values. */
function points(rows: readonly unknown[]): readonly PointRow[] {
  if (!arePoints(rows)) throw new Error('A statement was not prepared to return times and values.');
  return rows;
}

const momentIn = (row: NumberRow) => row[0] ?? 0;
const valueIn = (row: NumberRow) => row[1] ?? 0;
