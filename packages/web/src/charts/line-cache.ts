import type { Reading, TimeSeries } from '@lcs/contract';
import { answeredValue, type ChartSource, isByChannel, lineOfReading, partsOfLine } from './chart-source.ts';
import { dropBefore, insertPoint, noPoints, type Points, placeOf, thinned } from './points.ts';

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

/**
 * The lines of one chart: what was asked for, and what came by itself since, merged by line and time.
 */
export interface LineCache {
  /** Takes an answer of the leader, of at most `targetPoints` a line; of what came by itself only what is newer stays. */
  replace(answer: TimeSeries, targetPoints: number): void;
  /** Takes live readings; those of other charts are left alone. */
  add(readings: readonly Reading[]): void;
  /** Drops what is older than a moment. */
  trim(beforeMs: number): void;
  /** By unit and channel. */
  lines(): readonly Line[];
  /** Whether so much came by itself that an answer of the leader would be shorter. */
  isLong(): boolean;
  /** Calls `listener` at each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

const naturally = new Intl.Collator('en', { numeric: true });

/** Beyond so many times of what was asked for, the leader is asked to reduce; beyond twice that, the page does it. */
const longOf = (targetPoints: number): number => 2 * targetPoints + 200;

/** The default number of points of a line: enough for a chart of usual width. */
export const usualTargetPoints = 720;

const pointsOf = (data: TimeSeries['data'][number], transform: (y: number) => number): Points => ({
  x: data.map(({ x }) => Date.parse(x)),
  y: data.map(({ y }) => transform(y)),
});

/** What of `points` is newer than everything of `answered`, behind it. */
function withNewer(answered: Points, points: Points | undefined): Points {
  const newest = answered.x.at(-1);
  if (points === undefined || newest === undefined) return answered;
  const place = placeOf(points.x, newest + 1);
  return { x: answered.x.concat(points.x.slice(place)), y: answered.y.concat(points.y.slice(place)) };
}

export function createLineCache({ source, experiment, transform }: LineCacheOptions): LineCache {
  const byChannel = isByChannel(source);
  let cache = new Map<string, Points>();
  let sorted: readonly Line[] | null = null;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  let long = longOf(usualTargetPoints);

  const add = (reading: Reading): boolean => {
    if (reading.experiment !== experiment) return false;
    const label = lineOfReading(source, reading);
    if (label === null) return false;
    const points = cache.get(label) ?? noPoints();
    const isNew = insertPoint(points, Date.parse(reading.x), transform(answeredValue(source, reading.y)));
    if (!isNew) return false;
    const isTooLong = points.x.length > 2 * long;
    if (isTooLong || !cache.has(label)) {
      cache.set(label, isTooLong ? thinned(points, long) : points);
      sorted = null;
    }
    return true;
  };

  return {
    replace: ({ series, data }, targetPoints) => {
      long = longOf(targetPoints);
      const next = new Map(
        series.map((label, index) => [label, withNewer(pointsOf(data[index] ?? [], transform), cache.get(label))]),
      );
      // A line that began after the question was asked.
      for (const [label, points] of cache) if (!next.has(label)) next.set(label, points);
      cache = next;
      sorted = null;
      tell();
    },
    add: (readings) => {
      if (readings.map(add).includes(true)) tell();
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
      sorted ??= [...cache]
        .map(([label, points]) => ({ label, ...partsOfLine(label, byChannel), points }))
        .sort((left, right) => naturally.compare(left.label, right.label));
      return sorted;
    },
    isLong: () => [...cache.values()].some(({ x }) => x.length > long),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
