import type { Reading, TimeSeries } from '@lcs/contract';
import { createListeners } from '../live/listeners.ts';
import { type ChartSource, isByChannel, lineOfReading, partsOfLine, responseValue } from './chart-source.ts';
import { dropBefore, indexAtOrAfter, insertPoint, noPoints, type Points, thinned } from './points.ts';

/** One line of a chart. */
export interface Line {
  readonly label: string;
  readonly unit: string;
  /** `null`: the unit has one line only. */
  readonly channel: string | null;
  readonly points: Points;
}

export interface LineCacheOptions {
  readonly source: ChartSource;
  readonly experiment: string;
  readonly transform: (y: number) => number;
}

/** What has changed in the lines of a chart for one of its drawings. */
export interface ChangeWatch {
  /** Since when readings have changed since the last call; -∞: all of them may have, +∞: none. At first all have. */
  take(): number;
  stop(): void;
}

/** The lines of one chart: the requested readings and the live readings since, merged by line and time. */
export interface LineCache {
  /** Takes a response of the leader, of at most `targetPoints` a line; only newer live readings stay. */
  replace(answer: TimeSeries, targetPoints: number): void;
  /** Takes the readings of a window in more detail, or drops them; elsewhere the lines stay as they are. */
  refine(detail: { readonly answer: TimeSeries; readonly fromMs: number } | null): void;
  /** Takes live readings; those of other charts are left alone. */
  add(readings: readonly Reading[]): void;
  /** Drops the readings before a moment. */
  trim(beforeMs: number): void;
  /** By unit and channel. */
  lines(): readonly Line[];
  /** Records what changes from now on for one drawing: several may show the same lines. */
  watchChanges(): ChangeWatch;
  /** Whether there are so many live readings that a response of the leader would be shorter. */
  isLong(): boolean;
  /** Calls `listener` at each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/**
 * A new reading changes its line from so many readings before it: to the one before goes a straight line, and the intervals
 * of the others decide what a pause is.
 */
const changedBefore = 12;

const naturally = new Intl.Collator('en', { numeric: true });

/** With more points than this the leader is asked to reduce the line; with more than twice as many the web UI does it. */
const reduceAbove = (targetPoints: number): number => 2 * targetPoints + 200;

/** The default number of points of a line: enough for a chart of usual width. */
export const usualTargetPoints = 720;

/** Of many lines each has fewer points: they cover each other, and a zoomed chart asks for more. */
const manyLines = 12;
export const targetPointsFor = (lines: number): number => (lines > manyLines ? 400 : usualTargetPoints);

const pointsOf = (data: TimeSeries['data'][number], transform: (y: number) => number): Points => ({
  x: data.map(({ x }) => Date.parse(x)),
  y: data.map(({ y }) => transform(y)),
});

/** `requested`, followed by those of `points` that are newer. */
function withNewer(requested: Points, points: Points | undefined): Points {
  const newest = requested.x.at(-1);
  if (points === undefined || newest === undefined) return requested;
  const index = indexAtOrAfter(points.x, newest + 1);
  return { x: requested.x.concat(points.x.slice(index)), y: requested.y.concat(points.y.slice(index)) };
}

/** The line with the detailed readings of a window in place of its own; newer ones of its own stay. */
function refined(own: Points, detail: Points | undefined, fromMs: number): Points {
  const [first, newest] = [detail?.x[0], detail?.x.at(-1)];
  if (detail === undefined || first === undefined || newest === undefined) return own;
  const before = indexAtOrAfter(own.x, Math.min(fromMs, first));
  const after = indexAtOrAfter(own.x, newest + 1);
  return {
    x: own.x.slice(0, before).concat(detail.x, own.x.slice(after)),
    y: own.y.slice(0, before).concat(detail.y, own.y.slice(after)),
  };
}

const sortedLines = (cache: ReadonlyMap<string, Points>, byChannel: boolean): readonly Line[] =>
  [...cache]
    .map(([label, points]) => ({ label, ...partsOfLine(label, byChannel), points }))
    .sort((left, right) => naturally.compare(left.label, right.label));

/** All lines in detail; a unit that was only in the window has a line too. */
const refinedLines = (
  lines: ReadonlyMap<string, Points>,
  { points, fromMs }: { readonly points: ReadonlyMap<string, Points>; readonly fromMs: number },
): ReadonlyMap<string, Points> =>
  new Map(
    [...new Set([...lines.keys(), ...points.keys()])].map((label) => [
      label,
      refined(lines.get(label) ?? noPoints(), points.get(label), fromMs),
    ]),
  );

export function createLineCache({ source, experiment, transform }: LineCacheOptions): LineCache {
  let cache = new Map<string, Points>();
  let detail: { readonly points: ReadonlyMap<string, Points>; readonly fromMs: number } | null = null;
  let sorted: readonly Line[] | null = null;
  const listeners = createListeners<void>();
  let limit = reduceAbove(usualTargetPoints);
  const watches = new Set<{ changedFromMs: number }>();
  const changeFrom = (fromMs: number): void => {
    for (const watch of watches) watch.changedFromMs = Math.min(watch.changedFromMs, fromMs);
  };
  const changeAll = (): void => {
    sorted = null;
    changeFrom(Number.NEGATIVE_INFINITY);
  };

  const add = (reading: Reading): boolean => {
    if (reading.experiment !== experiment) return false;
    const label = lineOfReading(source, reading);
    if (label === null) return false;
    const points = cache.get(label) ?? noPoints();
    const isNew = insertPoint(points, Date.parse(reading.x), transform(responseValue(source, reading.y)));
    if (!isNew) return false;
    if (detail !== null) sorted = null;
    const before = points.x[indexAtOrAfter(points.x, Date.parse(reading.x)) - changedBefore];
    changeFrom(before ?? Number.NEGATIVE_INFINITY);
    const isTooLong = points.x.length > 2 * limit;
    if (isTooLong || !cache.has(label)) {
      cache.set(label, isTooLong ? thinned(points, limit) : points);
      changeAll();
    }
    return true;
  };

  return {
    replace: ({ series, data }, targetPoints) => {
      limit = reduceAbove(targetPoints);
      const requested = series.map((label, index): [string, Points] => [
        label,
        withNewer(pointsOf(data[index] ?? [], transform), cache.get(label)),
      ]);
      // A line that began after the request stays.
      cache = new Map([...cache, ...requested]);
      changeAll();
      listeners.notify();
    },
    refine: (next) => {
      if (next === null && detail === null) return;
      detail = next && {
        fromMs: next.fromMs,
        points: new Map(
          next.answer.series.map((label, index) => [label, pointsOf(next.answer.data[index] ?? [], transform)]),
        ),
      };
      changeAll();
      listeners.notify();
    },
    add: (readings) => {
      if (readings.map(add).includes(true)) listeners.notify();
    },
    trim: (beforeMs) => {
      for (const [label, points] of cache) {
        dropBefore(points, beforeMs);
        if (points.x.length === 0) {
          cache.delete(label);
          sorted = null;
        }
      }
    },
    lines: () => {
      sorted ??= sortedLines(detail === null ? cache : refinedLines(cache, detail), isByChannel(source));
      return sorted;
    },
    watchChanges: () => {
      const watch = { changedFromMs: Number.NEGATIVE_INFINITY };
      watches.add(watch);
      return {
        take: () => {
          const taken = watch.changedFromMs;
          watch.changedFromMs = Number.POSITIVE_INFINITY;
          return taken;
        },
        stop: () => {
          watches.delete(watch);
        },
      };
    },
    isLong: () => [...cache.values()].some(({ x }) => x.length > limit),
    subscribe: listeners.add,
  };
}
