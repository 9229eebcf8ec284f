import type { LiveEventName, LiveEvents, LogEntry, Reading } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';

/** What the stream tells that is no state but goes by: each piece is told once, to whoever listens then. */
export interface LiveNews {
  /** Readings come in batches, in the order of the stream. */
  onReadings(listener: (readings: readonly Reading[]) => void): () => void;
  onLog(listener: (entry: LogEntry) => void): () => void;
  /** Something went by that this page did not get: lists and series are to be asked for again. */
  onMissed(listener: () => void): () => void;
  /** Takes an event of the stream; `id` is its place in it. */
  take<Name extends LiveEventName>(name: Name, data: LiveEvents[Name], id: string): void;
}

/** A chart that is drawn more often than this looks no livelier. */
const batchMs = 250;
/** A page that is left behind asks again at most so often, or it would make the leader slower still. */
const missedPauseMs = 15_000;

/** `<run>-<n>`: the run of the leader, and the place of the event in it. */
function placeOf(id: string): { readonly run: string; readonly n: number } | null {
  const [, run, n] = /^(.*)-(\d+)$/.exec(id) ?? [];
  return run === undefined || n === undefined ? null : { run, n: Number(n) };
}

/** Tells from the ids of events whether some between them were left out. */
export function createPlaceKeeper(): (id: string, isSnapshot: boolean) => 'in order' | 'missed' {
  let last: { readonly run: string; readonly n: number } | null = null;
  return (id, isSnapshot) => {
    const place = placeOf(id);
    const before = last;
    last = place ?? last;
    if (before === null || place === null) return 'in order';
    const follows = place.run === before.run && place.n <= before.n + (isSnapshot ? 0 : 1);
    return follows ? 'in order' : 'missed';
  };
}

function createListeners<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    add: (listener: (value: Value) => void): (() => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    tell: (value: Value): void => {
      for (const listener of listeners) listener(value);
    },
  };
}

export function createLiveNews(clock: PageClock): LiveNews {
  const readings = createListeners<readonly Reading[]>();
  const logs = createListeners<LogEntry>();
  const missed = createListeners<undefined>();
  const keepPlace = createPlaceKeeper();
  let batch: Reading[] = [];
  let missedAt: number | null = null;
  let isMissedDue = false;

  const flush = (): void => {
    const due = batch;
    batch = [];
    readings.tell(due);
  };
  const tellMissed = (): void => {
    if (isMissedDue) return;
    const waitMs = missedAt === null ? 0 : Math.max(0, missedAt + missedPauseMs - clock.now());
    isMissedDue = true;
    clock.after(waitMs, () => {
      isMissedDue = false;
      missedAt = clock.now();
      missed.tell(undefined);
    });
  };
  const isNamed = <Name extends LiveEventName>(
    event: { readonly name: LiveEventName; readonly data: LiveEvents[LiveEventName] },
    name: Name,
  ): event is { readonly name: Name; readonly data: LiveEvents[Name] } => event.name === name;

  return {
    onReadings: readings.add,
    onLog: logs.add,
    onMissed: missed.add,
    take: (name, data, id) => {
      const event = { name, data };
      if (keepPlace(id, name === 'snapshot') === 'missed') tellMissed();
      if (isNamed(event, 'reading')) {
        if (batch.length === 0) clock.after(batchMs, flush);
        batch.push(event.data);
      } else if (isNamed(event, 'log')) logs.tell(event.data);
    },
  };
}
