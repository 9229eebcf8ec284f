import type { FeedBoot } from '@lcs/contract';
import type { Cancel, Clock, Service } from '@lcs/platform';

/** When something happened on this unit. */
export interface Stamp {
  readonly boot: number;
  /** Microseconds since the start of the boot; no two stamps of a boot have the same. */
  readonly mono: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** No source with the right time has reported it yet. */
  readonly unsynced?: true;
}

/** The wall time of later stamps has changed by more than its tolerance. */
export interface ClockStep {
  readonly from_ms: number;
  readonly to_ms: number;
  /** `to_ms - from_ms`, exactly what every later stamp differs by. */
  readonly offset_ms: number;
  readonly source: TimeSource;
  /** The first stamp with the new time: every stamp before it in its boot has a smaller `mono`. */
  readonly stamp: Stamp;
  /** The source is better than that of the time before: stamps of this boot were wrong by the whole step. */
  readonly isCorrection: boolean;
}

/** A source gives a time that is too far off to be followed. */
export interface RefusedTime {
  readonly source: TimeSource;
  /** The source's time minus the unit's. */
  readonly offset_ms: number;
}

export type TimeSource = 'ntp' | 'leader';

export interface UnitTimeOptions {
  readonly clock: Clock;
  readonly boot: number;
  /** Whether the host's clock is kept by NTP now. */
  readonly hostSynced: () => boolean;
}

/** A smaller difference is the delay of a request and the drift of a clock, not a step. */
const toleranceMs = 1_000;
/** Two reports of the leader that agree this well confirm each other; a single one may have been delayed. */
const agreementMs = 250;
/**
 * A larger step is neither a drift nor its correction: it is refused unless its source is better than the one before. Chosen; a
 * crystal drifts by a few seconds a day, and NTP keeps a clock within less than a second.
 */
const largestStepMs = 60_000;
const hostCheckMs = 10_000;

/** The rank of a source: a leader without a synchronised clock; one that NTP or a person has set; NTP. */
const trust = { leader: 1, confirmed_leader: 2, ntp: 3 } as const;
type Trust = (typeof trust)[keyof typeof trust];

/** The time that a source gives. */
interface TimeReport {
  readonly source: TimeSource;
  readonly trust: Trust;
  readonly wallMs: number;
}

/** How monotonic time becomes wall time. */
interface Mapping {
  readonly wall0: number;
  readonly source: TimeSource;
  readonly trust: Trust;
}

/** The wall time of stamps before the present mapping. */
interface FormerTime {
  readonly wall0: number;
  /** `mono` of the first stamp with the present mapping. */
  readonly untilMono: number;
}

/** A reading is recorded at most so long after it was taken. */
const longestDelayMs = 60_000;
/** Times are whole milliseconds. */
const roundingMs = 1;

/**
 * Time stamps of one boot: wall time at its start plus monotonic time since. The first source with a known time sets it. A
 * source of the same rank moves it by small steps only; a better one corrects it by any step; other large steps
 * are refused.
 */
export class UnitTime implements Service {
  readonly name = 'time';
  readonly #options: UnitTimeOptions;
  readonly #listeners = new Set<(step: ClockStep) => void>();
  readonly #refusalListeners = new Set<(refused: RefusedTime | undefined) => void>();
  #startMono = 0;
  #guess0 = 0;
  /** Of the first mapping: what records without a synced time are mapped with. A correction then applies to them as to all others. */
  #firstWall0: number | undefined;
  #mapping: Mapping | undefined;
  #former: FormerTime | undefined;
  #refused: RefusedTime | undefined;
  #lastMono = -1;
  #rejectedTrust: number | undefined;
  #stopChecks: Cancel | undefined;

  constructor(options: UnitTimeOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { clock } = this.#options;
    this.#startMono = clock.monotonic();
    this.#guess0 = Math.floor(clock.now());
    this.#lastMono = -1;
    this.#firstWall0 = undefined;
    this.#mapping = undefined;
    this.#former = undefined;
    this.#refused = undefined;
    this.#rejectedTrust = undefined;
    this.#readHostSync();
    this.#stopChecks = clock.every(hostCheckMs, () => this.#readHostSync());
  }

  async stop(): Promise<void> {
    this.#stopChecks?.();
    this.#stopChecks = undefined;
  }

  /** The mapping of this boot, for the feed. */
  get boot(): FeedBoot {
    return {
      boot: this.#options.boot,
      wall0: this.#firstWall0 ?? null,
      guess0: this.#guess0,
      source: this.#mapping?.source ?? 'none',
    };
  }

  get synced(): boolean {
    return this.#mapping !== undefined;
  }

  /** Microseconds since the start of this boot. */
  mono(): number {
    return Math.max(0, Math.floor((this.#options.clock.monotonic() - this.#startMono) * 1_000));
  }

  /** The unit's time, milliseconds since 1970. */
  now(): number {
    return this.#wallAt(this.mono());
  }

  /** A stamp for this moment. */
  stamp(): Stamp {
    const mono = Math.max(this.#lastMono + 1, this.mono());
    this.#lastMono = mono;
    const stamp = { boot: this.#options.boot, mono, at: this.#wallAt(mono) };
    return this.synced ? stamp : { ...stamp, unsynced: true };
  }

  /**
   * The stamp of something that was recorded now, at a time that `now` has returned a moment ago. If the unit's time has changed meanwhile, that
   * moment has another time, which is in the stamp.
   */
  stampOf(atMs: number): Stamp {
    const at = Math.floor(atMs);
    const stamp = this.stamp();
    const former = this.#former;
    if (former === undefined) return { ...stamp, at };
    const wall0 = this.#wallAt(0);
    const monoIf = (zero: number): number => (at - zero) * 1_000;
    const isOfNow = monoIf(wall0) >= former.untilMono - roundingMs * 1_000 && monoIf(wall0) <= stamp.mono;
    const mono = monoIf(former.wall0);
    const isOfBefore = mono >= 0 && mono <= former.untilMono && stamp.mono - mono <= longestDelayMs * 1_000;
    return { ...stamp, at: isOfNow || !isOfBefore ? at : at + wall0 - former.wall0 };
  }

  /** Calls `listener` at each step; the returned function ends that. */
  onStep(listener: (step: ClockStep) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Calls `listener` when a time is refused, and with nothing when its source gives a usable time again. */
  onRefusal(listener: (refused: RefusedTime | undefined) => void): () => void {
    this.#refusalListeners.add(listener);
    return () => {
      this.#refusalListeners.delete(listener);
    };
  }

  /** The time in a request of the unit's own leader, milliseconds since 1970. `isSynced`: NTP keeps the leader's clock. */
  receiveLeaderTime(wallMs: number, isSynced = false): void {
    this.#receive({ source: 'leader', trust: isSynced ? trust.confirmed_leader : trust.leader, wallMs });
  }

  /** A person has set the clock: the time is right now, however far off it was. */
  setByPerson(wallMs: number): void {
    const report: TimeReport = { source: 'leader', trust: trust.confirmed_leader, wallMs };
    const wall0 = this.#wall0Of(report);
    if (this.#mapping !== undefined && Math.abs(wall0 - this.#mapping.wall0) > toleranceMs)
      this.#step(report, wall0, true);
    else this.#receive(report);
  }

  #readHostSync(): void {
    if (this.#options.hostSynced())
      this.#receive({ source: 'ntp', trust: trust.ntp, wallMs: this.#options.clock.now() });
  }

  #wall0Of({ wallMs }: TimeReport): number {
    return Math.floor(wallMs - this.mono() / 1_000);
  }

  #receive(report: TimeReport): void {
    const wall0 = this.#wall0Of(report);
    const mapping = this.#mapping;
    if (mapping === undefined) {
      this.#firstWall0 = wall0;
      this.#former = { wall0: this.#guess0, untilMono: this.mono() };
      this.#mapping = { wall0, source: report.source, trust: report.trust };
      return;
    }
    const isBetter = report.trust > mapping.trust;
    const offsetMs = wall0 - mapping.wall0;
    if (Math.abs(offsetMs) <= toleranceMs) {
      this.#rejectedTrust = undefined;
      if (isBetter) this.#mapping = { ...mapping, source: report.source, trust: report.trust };
      this.#refuse(report.source, undefined);
      return;
    }
    if (report.source === 'leader' && !this.#isConfirmed(wall0)) return;
    const isSmall = Math.abs(offsetMs) <= largestStepMs;
    if (isBetter || (isSmall && report.trust === mapping.trust)) this.#step(report, wall0, isBetter);
    else this.#refuse(report.source, isSmall ? undefined : { source: report.source, offset_ms: offsetMs });
  }

  /** Reports a refusal once, and again when the time that is refused has changed by a large step. */
  #refuse(source: TimeSource, refused: RefusedTime | undefined): void {
    const before = this.#refused;
    if (before === undefined ? refused === undefined : before.source !== source && refused === undefined) return;
    if (before && refused && Math.abs(refused.offset_ms - before.offset_ms) <= largestStepMs) return;
    this.#refused = refused;
    for (const listener of this.#refusalListeners) listener(refused);
  }

  #isConfirmed(wall0: number): boolean {
    const before = this.#rejectedTrust;
    this.#rejectedTrust = wall0;
    return before !== undefined && Math.abs(wall0 - before) <= agreementMs;
  }

  #step({ source, trust: worth }: TimeReport, wall0: number, isCorrection: boolean): void {
    const before = this.#mapping?.wall0 ?? wall0;
    const offset_ms = wall0 - before;
    this.#mapping = { wall0, source, trust: worth };
    this.#rejectedTrust = undefined;
    const stamp = this.stamp();
    this.#former = { wall0: before, untilMono: stamp.mono };
    const step = { from_ms: stamp.at - offset_ms, to_ms: stamp.at, offset_ms, source, stamp, isCorrection };
    for (const listener of this.#listeners) listener(step);
    this.#refuse(source, undefined);
  }

  #wallAt(mono: number): number {
    return Math.floor((this.#mapping?.wall0 ?? this.#guess0) + mono / 1_000);
  }
}
