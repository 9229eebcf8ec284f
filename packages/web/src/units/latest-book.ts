import type { FlaggedSpan, Reading, SampleFlag, TimeSeries } from '@lcs/contract';
import { type ChartSource, isByChannel, liveNameOf, partsOfLine } from '../charts/chart-source.ts';
import { flagsAt, spansByLine } from '../charts/flag-spans.ts';

/** The newest reading of a kind. */
export interface LatestReading {
  readonly xMs: number;
  readonly y: number;
  readonly channel: string | null;
  /** What its unit says beside it about the signal. */
  readonly flags: readonly SampleFlag[];
}

/** The newest readings of a unit, by the source's name on the stream. */
export type UnitLatest = ReadonlyMap<string, LatestReading>;

/** The newest readings of the units of one experiment. */
export interface LatestBook {
  /** `spans`: flagged stretches of any sources. */
  replace(source: ChartSource, answer: TimeSeries, spans: readonly FlaggedSpan[]): void;
  add(readings: readonly Reading[]): void;
  /** The same object until something of the unit changes. */
  of(unit: string): UnitLatest;
  subscribe(listener: () => void): () => void;
}

const nothing: UnitLatest = new Map();

export function createLatestBook(experiment: string): LatestBook {
  const listeners = new Set<() => void>();
  const book = new Map<string, UnitLatest>();

  /** Of several channels the lowest one speaks for the unit. */
  const isNewer = (known: LatestReading | undefined, next: LatestReading): boolean =>
    known === undefined ||
    (next.channel === known.channel ? next.xMs > known.xMs : (next.channel ?? '') < (known.channel ?? ''));

  const note = (unit: string, source: string, next: LatestReading): boolean => {
    const latest = book.get(unit) ?? nothing;
    if (!isNewer(latest.get(source), next)) return false;
    book.set(unit, new Map(latest).set(source, next));
    return true;
  };
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  return {
    replace: (source, { series, data }, spans) => {
      const live = liveNameOf(source);
      if (live === null) return;
      const flagged = spansByLine(source, spans);
      for (const [index, label] of series.entries()) {
        const { unit, channel } = partsOfLine(label, isByChannel(source));
        const point = data[index]?.at(-1);
        if (!point) continue;
        const xMs = Date.parse(point.x);
        note(unit, live, { xMs, y: point.y, channel, flags: flagsAt(flagged.get(label) ?? [], xMs) });
      }
      tell();
    },
    add: (readings) => {
      let isChanged = false;
      for (const { experiment: of, reactor_unit, source, channel, x, y, flags = [] } of readings) {
        if (of !== experiment) continue;
        isChanged = note(reactor_unit, source, { xMs: Date.parse(x), y, channel, flags }) || isChanged;
      }
      if (isChanged) tell();
    },
    of: (unit) => book.get(unit) ?? nothing,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
