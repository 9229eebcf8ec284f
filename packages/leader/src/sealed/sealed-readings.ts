import type { SqlReader, SqlStatement } from '@lcs/platform/sql-reader';
import type { SealedFileKey } from './reader-thread-protocol.ts';
import type { SealedGroup } from './sealed-file.ts';
import { type GroupPoints, SealedThread } from './sealed-thread.ts';

/** Row groups in memory, 128 KiB each at most. */
const keptGroups = 128;

/** What the manifest has of a series: a file, and from when to when. */
interface SealedRange {
  readonly key: SealedFileKey;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A reading. */
export type Point = readonly [at: number, value: number];

const isAnySql = (schema: string) => `select 1 as one from ${schema}sealed_files limit 1`;
const rangesSql = (schema: string) => `select f.place, f.file, f.bytes, f.sha256, z.first_at, z.last_at
  from ${schema}sealed_series z
  join ${schema}sealed_files f on f.experiment_uid = z.experiment_uid and f.month = z.month
  where z.series_id = ? order by z.from_at`;

/** The first position whose time is `at` or later. */
function positionOf(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Readings of sealed months, beside those in the store. Row groups outside of a window are not read. The manifest is read at the
 * first question after `refresh`.
 */
export class SealedReadings {
  readonly #isAny: SqlStatement;
  readonly #ranges: SqlStatement;
  readonly #thread = new SealedThread();
  readonly #groupsOfFiles = new Map<string, ReadonlyMap<number, readonly SealedGroup[]>>();
  /** Least recently used first. */
  readonly #points = new Map<string, GroupPoints>();
  #known = new Map<number, readonly SealedRange[]>();
  #hasAny: boolean | undefined;

  /** `schema` is `main.` on a connection with public views. */
  constructor(connection: SqlReader, schema: '' | 'main.' = '') {
    this.#isAny = connection.prepare(isAnySql(schema));
    this.#ranges = connection.prepare(rangesSql(schema));
  }

  /** The next question reads the manifest again. */
  refresh(): void {
    this.#hasAny = undefined;
    this.#known = new Map();
  }

  close(): void {
    this.#thread.close();
  }

  /** Whether files have readings of the series in this stretch, both ends included. */
  has(seriesId: number, from: number, to: number): boolean {
    return this.#rangesOf(seriesId).some(({ firstAt, lastAt }) => firstAt <= to && lastAt >= from);
  }

  /**
   * The first readings of the stretch, both ends included, or the last ones when descending; with those of the store, which were read
   * with the same limit in the same order. Of two at the same time, the one in the store counts.
   */
  merged(
    stored: readonly Point[],
    seriesId: number,
    { from, to, limit, isDescending }: { from: number; to: number; limit: number; isDescending: boolean },
  ): readonly Point[] {
    if (!this.has(seriesId, from, to)) return stored;
    const sign = isDescending ? -1 : 1;
    const merged: Point[] = [];
    let place = 0;
    for (const point of this.#sealed(seriesId, from, to, isDescending)) {
      if (merged.length >= limit) break;
      for (let next = stored[place]; next !== undefined && sign * (next[0] - point[0]) <= 0; next = stored[place]) {
        merged.push(next);
        place += 1;
      }
      if (merged.at(-1)?.[0] !== point[0]) merged.push(point);
    }
    return [...merged, ...stored.slice(place)].slice(0, limit);
  }

  *#sealed(seriesId: number, from: number, to: number, isDescending: boolean): Generator<Point, void, undefined> {
    const inOrder = <Item>(items: readonly Item[]) => (isDescending ? items.toReversed() : items);
    for (const { key, firstAt, lastAt } of inOrder(this.#rangesOf(seriesId))) {
      if (firstAt > to || lastAt < from) continue;
      for (const group of inOrder(this.#groupsOf(key).get(seriesId) ?? [])) {
        if (group.firstAt > to || group.lastAt < from) continue;
        const { at, value } = this.#pointsOf(key, group);
        const [low, high] = [positionOf(at, from), positionOf(at, to + 1)];
        for (let step = 0; step < high - low; step += 1) {
          const place = isDescending ? high - 1 - step : low + step;
          yield [at[place] ?? 0, value[place] ?? 0];
        }
      }
    }
  }

  #rangesOf(seriesId: number): readonly SealedRange[] {
    this.#hasAny ??= this.#isAny.get() !== undefined;
    if (!this.#hasAny) return [];
    const known = this.#known.get(seriesId);
    if (known !== undefined) return known;
    const ranges = this.#ranges.all(seriesId).map(({ place, file, bytes, sha256, first_at, last_at }) => ({
      key: { place: String(place), file: String(file), bytes: Number(bytes), sha256: String(sha256) },
      firstAt: Number(first_at),
      lastAt: Number(last_at),
    }));
    this.#known.set(seriesId, ranges);
    return ranges;
  }

  #groupsOf(key: SealedFileKey): ReadonlyMap<number, readonly SealedGroup[]> {
    const id = `${key.place} ${key.file} ${key.sha256}`;
    const known = this.#groupsOfFiles.get(id);
    if (known !== undefined) return known;
    const groups = Map.groupBy(this.#thread.groups(key), ({ seriesId }) => seriesId);
    this.#groupsOfFiles.set(id, groups);
    return groups;
  }

  #pointsOf(key: SealedFileKey, group: SealedGroup): GroupPoints {
    const id = `${key.sha256} ${group.rowStart}`;
    const points = this.#points.get(id) ?? this.#thread.points(key, group);
    this.#points.delete(id);
    this.#points.set(id, points);
    const [oldest] = this.#points.keys();
    if (this.#points.size > keptGroups && oldest !== undefined) this.#points.delete(oldest);
    return points;
  }
}
