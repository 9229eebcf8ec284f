import {
  type Dose,
  type DosePiece,
  dosePieceGapMs,
  type LatestReading as LatestAnswer,
  type LiveEvents,
  type Reading,
  type UnitLatest as UnitAnswer,
} from '@lcs/contract';
import { createListeners } from '../live/listeners.ts';
import { isInFuture } from '../time/future.ts';

/** The latest reading of one source of one unit. */
export interface LatestReading {
  readonly xMs: number;
  readonly y: number;
  readonly channel: string | null;
  /** The quality flags of the reading. */
  readonly flags: NonNullable<Reading['flags']>;
  /** By the clock of the leader. */
  readonly receivedMs: number;
}

/** What is known last of a unit in its present experiment. */
export interface UnitLatest {
  readonly experiment: string;
  /** Of the unit in the experiment. */
  readonly label: string | null;
  /** By the name of the source. */
  readonly readings: ReadonlyMap<string, LatestReading>;
  readonly lastDose: Dose | null;
}

/** A response of the leader. */
interface LatestResponse {
  readonly units: readonly UnitAnswer[];
  /** When it was requested, by the clock of the leader. */
  readonly requestedMs: number;
}

/** The latest readings of all assigned units; the time of receipt is by the clock of the leader. */
export interface LatestStore {
  /** Replaces everything that was received before the request: the leader may have corrected times meanwhile. */
  merge(response: LatestResponse): void;
  add(readings: readonly Reading[], receivedMs: number): void;
  /** A dose of the live stream, or a piece of one. */
  addDose(dose: LiveEvents['dose'], receivedMs: number): void;
  /** The same object until something of the unit changes; undefined: not assigned, or not known yet. */
  of(unit: string): UnitLatest | undefined;
  /** All assigned units; the same list until units are assigned or unassigned. */
  units(): readonly string[];
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

const toReading = ({ x, y, channel, flags = [] }: LatestAnswer, receivedMs: number): LatestReading => ({
  xMs: Date.parse(x),
  y,
  channel,
  flags,
  receivedMs,
});

/** A unit with the latest reading of each channel of the sources that are shown. */
interface KnownUnit {
  readonly latest: UnitLatest;
  readonly channels: ReadonlyMap<string, ReadonlyMap<string | null, LatestReading>>;
  readonly doseReceivedMs: number;
}

/** Whether a value replaces another one; a time in the future is wrong and is replaced by any. */
const isReplaced = (beforeMs: number, byMs: number, nowMs: number): boolean =>
  beforeMs < byMs || isInFuture(beforeMs, nowMs);

/** The unit after a reading; the same object when the reading changes nothing that is shown. */
function withReading(known: KnownUnit, source: string, reading: LatestReading): KnownUnit {
  const own = known.channels.get(source);
  const before = own?.get(reading.channel);
  if (before !== undefined && !isReplaced(before.xMs, reading.xMs, reading.receivedMs)) return known;
  const all = new Map(own).set(reading.channel, reading);
  const shown = lowestInUse(all.values());
  const { latest } = known;
  const isShown = shown === undefined || latest.readings.get(source) === shown;
  return {
    ...known,
    channels: new Map(known.channels).set(source, all),
    latest: isShown ? latest : { ...latest, readings: new Map(latest.readings).set(source, shown) },
  };
}

const withDose = (known: KnownUnit, lastDose: Dose, doseReceivedMs: number): KnownUnit => ({
  ...known,
  doseReceivedMs,
  latest: { ...known.latest, lastDose },
});

/** The dose after another piece: a pump that runs long records several. Null: the piece takes back what is no longer known. */
function joinedDose(before: Dose | null, piece: DosePiece): Dose | null {
  const gapMs = before === null ? Number.POSITIVE_INFINITY : Date.parse(piece.at) - Date.parse(before.at);
  // A piece of the same moment is in the response of the leader already, which came before the event of the stream.
  const isSameRun = before?.event === piece.event && before.job_id === piece.job_id;
  const belongs = isSameRun && gapMs > 0 && gapMs <= dosePieceGapMs;
  if (belongs) return { ...piece, volume_ml: Math.max(0, before.volume_ml + piece.volume_ml) };
  return piece.volume_ml > 0 ? piece : null;
}

const nothingKnown = (experiment: string, label: string | null): KnownUnit => ({
  latest: { experiment, label, readings: new Map(), lastDose: null },
  channels: new Map(),
  doseReceivedMs: 0,
});

const isSameReading = (one: LatestReading, other: LatestReading | undefined): boolean =>
  one === other ||
  (one.xMs === other?.xMs &&
    one.y === other.y &&
    one.channel === other.channel &&
    one.flags.join() === other.flags.join());

const isSameDose = (one: Dose | null, other: Dose | null): boolean =>
  one?.at === other?.at && one?.event === other?.event && one?.volume_ml === other?.volume_ml;

const isSameLatest = (one: UnitLatest, other: UnitLatest): boolean =>
  one.experiment === other.experiment &&
  one.label === other.label &&
  one.readings.size === other.readings.size &&
  [...one.readings].every(([source, reading]) => isSameReading(reading, other.readings.get(source))) &&
  isSameDose(one.lastDose, other.lastDose);

/** The unit by a response, with what the live stream delivered since the request. */
function merged(
  before: KnownUnit | undefined,
  { experiment, label, readings, last_dose }: UnitAnswer,
  requestedMs: number,
): KnownUnit {
  const answered = readings.reduce(
    (unit, reading) => withReading(unit, reading.source, toReading(reading, requestedMs)),
    nothingKnown(experiment, label),
  );
  const known = last_dose === null ? answered : withDose(answered, last_dose, requestedMs);
  if (before?.latest.experiment !== experiment) return known;
  const isSince = (receivedMs: number): boolean => receivedMs > requestedMs;
  const since = [...before.channels].flatMap(([source, channels]) =>
    [...channels.values()].flatMap((reading) => (isSince(reading.receivedMs) ? [{ source, reading }] : [])),
  );
  const withReadings = since.reduce((unit, { source, reading }) => withReading(unit, source, reading), known);
  const dose = before.latest.lastDose;
  const isDoseAhead =
    dose !== null &&
    isSince(before.doseReceivedMs) &&
    (last_dose === null || isReplaced(Date.parse(last_dose.at), Date.parse(dose.at), before.doseReceivedMs));
  const after = isDoseAhead ? withDose(withReadings, dose, before.doseReceivedMs) : withReadings;
  return isSameLatest(before.latest, after.latest) ? { ...after, latest: before.latest } : after;
}

/** `sources`: those that are shown; a reading of another source changes nothing. */
export function createLatestStore(sources: ReadonlySet<string>): LatestStore {
  const listeners = createListeners<void>();
  let known: ReadonlyMap<string, KnownUnit> = new Map();
  let names: readonly string[] = [];

  const change = (next: ReadonlyMap<string, KnownUnit>): void => {
    known = next;
    if (names.length !== next.size || names.some((name) => !next.has(name))) names = [...next.keys()];
    listeners.notify();
  };

  return {
    merge: ({ units, requestedMs }) =>
      change(
        new Map(
          units.map((unit) => [unit.reactor_unit, merged(known.get(unit.reactor_unit), unit, requestedMs)] as const),
        ),
      ),
    add: (readings, receivedMs) => {
      const next = new Map(known);
      let isChanged = false;
      for (const { experiment, reactor_unit: unit, source, ...reading } of readings) {
        const before = next.get(unit);
        if (before?.latest.experiment !== experiment || !sources.has(source)) continue;
        const after = withReading(before, source, toReading({ source, ...reading }, receivedMs));
        isChanged ||= after.latest !== before.latest;
        next.set(unit, after);
      }
      if (isChanged) change(next);
      else known = next;
    },
    addDose: ({ experiment, reactor_unit: unit, ...piece }, receivedMs) => {
      const before = known.get(unit);
      if (before?.latest.experiment !== experiment) return;
      const { lastDose } = before.latest;
      const dose = joinedDose(lastDose, piece);
      if (dose === null) return;
      if (lastDose === null || isReplaced(Date.parse(lastDose.at), Date.parse(dose.at), receivedMs))
        change(new Map(known).set(unit, withDose(before, dose, receivedMs)));
    },
    of: (unit) => known.get(unit)?.latest,
    units: () => names,
    subscribe: listeners.add,
  };
}
