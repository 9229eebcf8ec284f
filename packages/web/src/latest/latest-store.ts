import {
  type Dose,
  dosePieceGapMs,
  type LatestReading as LatestAnswer,
  type LiveEvents,
  type Reading,
  type UnitLatest as UnitAnswer,
} from '@lcs/contract';
import { createListeners } from '../live/listeners.ts';

/** The latest reading of one source of one unit. */
export interface LatestReading {
  readonly xMs: number;
  readonly y: number;
  readonly channel: string | null;
  /** The quality flags of the reading. */
  readonly flags: NonNullable<Reading['flags']>;
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

/** The latest readings of all assigned units. */
export interface LatestStore {
  /** Applies a response of the leader. */
  merge(answer: readonly UnitAnswer[]): void;
  add(readings: readonly Reading[]): void;
  /** A dose of the live stream, or a piece of one. */
  addDose(dose: LiveEvents['dose']): void;
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

const toReading = ({ x, y, channel, flags = [] }: LatestAnswer): LatestReading => ({
  xMs: Date.parse(x),
  y,
  channel,
  flags,
});

/** A unit with the latest reading of each channel of the sources that are shown. */
interface KnownUnit {
  readonly latest: UnitLatest;
  readonly channels: ReadonlyMap<string, ReadonlyMap<string | null, LatestReading>>;
}

/** The unit after a reading; the same object when the reading changes nothing that is shown. */
function withReading(known: KnownUnit, source: string, reading: LatestReading): KnownUnit {
  const own = known.channels.get(source);
  const before = own?.get(reading.channel);
  if (before !== undefined && before.xMs >= reading.xMs) return known;
  const all = new Map(own).set(reading.channel, reading);
  const shown = lowestInUse(all.values());
  const { latest } = known;
  const isShown = shown === undefined || latest.readings.get(source) === shown;
  return {
    channels: new Map(known.channels).set(source, all),
    latest: isShown ? latest : { ...latest, readings: new Map(latest.readings).set(source, shown) },
  };
}

const isNewerDose = (before: Dose | null, dose: Dose): boolean =>
  before === null || Date.parse(before.at) < Date.parse(dose.at);

function withDose(known: KnownUnit, { at, event, volume_ml }: Dose): KnownUnit {
  const lastDose = { at, event, volume_ml };
  return isNewerDose(known.latest.lastDose, lastDose) ? { ...known, latest: { ...known.latest, lastDose } } : known;
}

/** The dose after another piece: a pump that runs long records several. */
function joinedDose(before: Dose | null, piece: Dose): Dose {
  const gapMs = before === null ? Number.POSITIVE_INFINITY : Date.parse(piece.at) - Date.parse(before.at);
  const belongs = before?.event === piece.event && gapMs > 0 && gapMs <= dosePieceGapMs;
  return belongs ? { ...piece, volume_ml: before.volume_ml + piece.volume_ml } : piece;
}

const nothingKnown = (experiment: string, label: string | null): KnownUnit => ({
  latest: { experiment, label, readings: new Map(), lastDose: null },
  channels: new Map(),
});

/** `sources`: those that are shown; a reading of another source changes nothing. */
export function createLatestStore(sources: ReadonlySet<string>): LatestStore {
  const listeners = createListeners<void>();
  let known: ReadonlyMap<string, KnownUnit> = new Map();
  let names: readonly string[] = [];

  const change = (next: ReadonlyMap<string, KnownUnit>): void => {
    if (next === known) return;
    known = next;
    if (names.length !== next.size || names.some((name) => !next.has(name))) names = [...next.keys()];
    listeners.notify();
  };
  const replaced = (all: ReadonlyMap<string, KnownUnit>, unit: string, next: KnownUnit) =>
    all.get(unit) === next ? all : new Map(all).set(unit, next);

  return {
    merge: (answer) => {
      const next = new Map<string, KnownUnit>();
      for (const { reactor_unit: unit, experiment, label, readings, last_dose } of answer) {
        const before = known.get(unit);
        // The live stream may be ahead of the response.
        const isSame = before?.latest.experiment === experiment && before.latest.label === label;
        const kept = isSame ? before : nothingKnown(experiment, label);
        const withReadings = readings.reduce(
          (unitSoFar, reading) => withReading(unitSoFar, reading.source, toReading(reading)),
          kept,
        );
        next.set(unit, last_dose === null ? withReadings : withDose(withReadings, last_dose));
      }
      change(next);
    },
    add: (readings) => {
      const next = new Map(known);
      let isChanged = false;
      for (const { experiment, reactor_unit: unit, source, ...reading } of readings) {
        const before = next.get(unit);
        if (before?.latest.experiment !== experiment || !sources.has(source)) continue;
        const after = withReading(before, source, toReading({ source, ...reading }));
        isChanged ||= after.latest !== before.latest;
        next.set(unit, after);
      }
      if (isChanged) change(next);
      else known = next;
    },
    addDose: ({ experiment, reactor_unit: unit, ...dose }) => {
      const before = known.get(unit);
      if (before?.latest.experiment === experiment)
        change(replaced(known, unit, withDose(before, joinedDose(before.latest.lastDose, dose))));
    },
    of: (unit) => known.get(unit)?.latest,
    units: () => names,
    subscribe: listeners.add,
  };
}
