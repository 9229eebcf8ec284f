import type { FlaggedSpan, Reading, SampleFlag, TimeSeries } from '@lcs/contract';
import { type ChartSource, isByChannel, liveNameOf, partsOfLine } from '../charts/chart-source.ts';
import { flagsAt, spansByLine } from '../charts/flag-spans.ts';
import { createListeners } from '../live/listeners.ts';

/** The latest reading of one source of one unit. */
export interface LatestReading {
  readonly xMs: number;
  readonly y: number;
  readonly channel: string | null;
  /** The quality flags of the reading. */
  readonly flags: readonly SampleFlag[];
}

/** The latest readings of a unit, by the source's name on the stream. */
export type UnitLatest = ReadonlyMap<string, LatestReading>;

/** The latest readings of the units of one experiment. */
export interface LatestReadingsCache {
  /** `spans`: flagged spans of any sources. */
  merge(source: ChartSource, answer: TimeSeries, spans: readonly FlaggedSpan[]): void;
  add(readings: readonly Reading[]): void;
  /** The same object until a reading of the unit changes. */
  of(unit: string): UnitLatest;
  subscribe(listener: () => void): () => void;
}

/**
 * A channel that is older than another one of its source by this time is no longer in use. All channels of one measurement
 * have the same time, so the interval of the measurements does not matter.
 */
const channelIsAbandonedAfterMs = 30_000;

const isLowerChannel = (one: LatestReading, other: LatestReading): boolean =>
  (one.channel ?? '') < (other.channel ?? '');

/** The reading that represents a source: that of the lowest channel in use. */
function lowestInUse(channels: Iterable<LatestReading>): LatestReading | undefined {
  const all = [...channels];
  const newestMs = Math.max(...all.map(({ xMs }) => xMs));
  return all
    .filter(({ xMs }) => newestMs - xMs <= channelIsAbandonedAfterMs)
    .reduce<LatestReading | undefined>(
      (lowest, each) => (lowest === undefined || isLowerChannel(each, lowest) ? each : lowest),
      undefined,
    );
}

const noReadings: UnitLatest = new Map();

export function createLatestReadingsCache(experiment: string): LatestReadingsCache {
  const listeners = createListeners<void>();
  /** Per unit and source: the latest reading of each channel. */
  const channels = new Map<string, Map<string | null, LatestReading>>();
  const latest = new Map<string, UnitLatest>();

  /** Stores a reading; returns whether the latest reading of the unit changed. */
  const record = (unit: string, source: string, reading: LatestReading): boolean => {
    const key = `${unit}/${source}`;
    const known = channels.get(key) ?? new Map<string | null, LatestReading>();
    const before = known.get(reading.channel);
    if (before !== undefined && before.xMs >= reading.xMs) return false;
    channels.set(key, known.set(reading.channel, reading));
    const shown = latest.get(unit) ?? noReadings;
    const next = lowestInUse(known.values());
    if (next === undefined || shown.get(source) === next) return false;
    latest.set(unit, new Map(shown).set(source, next));
    return true;
  };

  return {
    merge: (source, { series, data }, spans) => {
      const live = liveNameOf(source);
      if (live === null) return;
      const flagged = spansByLine(source, spans);
      for (const [index, label] of series.entries()) {
        const { unit, channel } = partsOfLine(label, isByChannel(source));
        const point = data[index]?.at(-1);
        if (!point) continue;
        const xMs = Date.parse(point.x);
        record(unit, live, { xMs, y: point.y, channel, flags: flagsAt(flagged.get(label) ?? [], xMs) });
      }
      listeners.notify();
    },
    add: (readings) => {
      let isChanged = false;
      for (const { experiment: of, reactor_unit, source, channel, x, y, flags = [] } of readings) {
        if (of !== experiment) continue;
        isChanged = record(reactor_unit, source, { xMs: Date.parse(x), y, channel, flags }) || isChanged;
      }
      if (isChanged) listeners.notify();
    },
    of: (unit) => latest.get(unit) ?? noReadings,
    subscribe: listeners.add,
  };
}
