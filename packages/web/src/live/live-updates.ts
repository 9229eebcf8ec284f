import type { LiveEventName, LiveEvents, LogEntry, Reading } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';
import { createListeners } from './listeners.ts';

/** Updates of the live stream that are not kept as state: each is passed once to the present listeners. */
export interface LiveUpdates {
  /** Readings come in batches, in the order of the stream. */
  onReadings(listener: (readings: readonly Reading[]) => void): () => void;
  onDose(listener: (dose: LiveEvents['dose']) => void): () => void;
  onLog(listener: (entry: LogEntry) => void): () => void;
  /** Some events were not received: lists and series must be requested again. */
  onMissed(listener: () => void): () => void;
  /** Receives an event of the stream; `id` is its position in it. */
  take<Name extends LiveEventName>(name: Name, data: LiveEvents[Name], id: string): void;
}

/** Drawing a chart more often has no visible effect. */
const batchMs = 250;
/** After missed events lists are requested again at most at this interval, to spare the leader. */
const missedPauseMs = 15_000;

/** `<run>-<n>`: the run of the leader, and the position of the event in it. */
function positionIn(id: string): { readonly run: string; readonly n: number } | null {
  const [, run, n] = /^(.*)-(\d+)$/.exec(id) ?? [];
  return run === undefined || n === undefined ? null : { run, n: Number(n) };
}

/** Detects from the ids of events whether some between them are missing. */
export function createGapDetector(): (id: string, isSnapshot: boolean) => 'in-order' | 'missed' {
  let last: { readonly run: string; readonly n: number } | null = null;
  return (id, isSnapshot) => {
    const position = positionIn(id);
    const before = last;
    last = position ?? last;
    if (before === null || position === null) return 'in-order';
    const follows = position.run === before.run && position.n <= before.n + (isSnapshot ? 0 : 1);
    return follows ? 'in-order' : 'missed';
  };
}

export function createLiveUpdates(clock: PageClock): LiveUpdates {
  const readings = createListeners<readonly Reading[]>();
  const doses = createListeners<LiveEvents['dose']>();
  const logs = createListeners<LogEntry>();
  const missed = createListeners<void>();
  const detectGap = createGapDetector();
  let batch: Reading[] = [];
  let missedAt: number | null = null;
  let isMissedDue = false;

  const flush = (): void => {
    const due = batch;
    batch = [];
    readings.notify(due);
  };
  const reportMissed = (): void => {
    if (isMissedDue) return;
    const waitMs = missedAt === null ? 0 : Math.max(0, missedAt + missedPauseMs - clock.now());
    isMissedDue = true;
    clock.after(waitMs, () => {
      isMissedDue = false;
      missedAt = clock.now();
      missed.notify();
    });
  };
  const isNamed = <Name extends LiveEventName>(
    event: { readonly name: LiveEventName; readonly data: LiveEvents[LiveEventName] },
    name: Name,
  ): event is { readonly name: Name; readonly data: LiveEvents[Name] } => event.name === name;

  return {
    onReadings: readings.add,
    onDose: doses.add,
    onLog: logs.add,
    onMissed: missed.add,
    take: (name, data, id) => {
      const event = { name, data };
      if (detectGap(id, name === 'snapshot') === 'missed') reportMissed();
      if (isNamed(event, 'reading')) {
        if (batch.length === 0) clock.after(batchMs, flush);
        batch.push(event.data);
      } else if (isNamed(event, 'dose')) doses.notify(event.data);
      else if (isNamed(event, 'log')) logs.notify(event.data);
    },
  };
}
