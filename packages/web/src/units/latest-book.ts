import type { Reading, TimeSeries } from '@lcs/contract';
import { partsOfLine } from '../charts/chart-source.ts';

/** The newest reading of a kind. */
export interface LatestReading {
  readonly xMs: number;
  readonly y: number;
  readonly channel: string | null;
}

/** The newest readings of a unit, by the source's name on the stream. */
export type UnitLatest = ReadonlyMap<string, LatestReading>;

/** The newest readings of the units of one experiment. */
export interface LatestBook {
  replace(source: string, byChannel: boolean, answer: TimeSeries): void;
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
    replace: (source, byChannel, { series, data }) => {
      for (const [index, label] of series.entries()) {
        const { unit, channel } = partsOfLine(label, byChannel);
        const point = data[index]?.at(-1);
        if (point) note(unit, source, { xMs: Date.parse(point.x), y: point.y, channel });
      }
      tell();
    },
    add: (readings) => {
      let isChanged = false;
      for (const { experiment: of, reactor_unit, source, channel, x, y } of readings) {
        if (of !== experiment) continue;
        isChanged = note(reactor_unit, source, { xMs: Date.parse(x), y, channel }) || isChanged;
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
