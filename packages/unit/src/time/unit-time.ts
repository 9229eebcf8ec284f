import type { FeedBoot } from '@lcs/contract';
import type { Cancel, Clock, Living } from '@lcs/platform';

/** When something happened on this unit. */
export interface Stamp {
  readonly boot: number;
  /** Microseconds since the start of the boot; no two stamps of a boot have the same. */
  readonly mono: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Nobody who knows the time had told it yet. */
  readonly unsynced?: true;
}

/** The wall time of later stamps has changed by more than its tolerance. */
export interface ClockStep {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly source: TimeSource;
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
/** Two words of the leader that agree this well confirm each other; one alone may have been under way for long. */
const agreementMs = 250;
const hostCheckMs = 10_000;

/**
 * Time stamps of one boot: wall time at its start plus monotonic time since. The wall time is set once, by the first source
 * that knows it; a source that later differs makes a new mapping for what comes after and leaves earlier stamps as they are.
 */
export class UnitTime implements Living {
  readonly name = 'time';
  readonly #options: UnitTimeOptions;
  readonly #listeners = new Set<(step: ClockStep) => void>();
  #startMono = 0;
  #guess0 = 0;
  /** Of the first mapping: what records without a synced time are mapped with. */
  #firstWall0: number | undefined;
  #wall0: number | undefined;
  #source: TimeSource | undefined;
  #lastMono = -1;
  #doubt: number | undefined;
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
    this.#wall0 = undefined;
    this.#source = undefined;
    this.#doubt = undefined;
    this.#askHost();
    this.#stopChecks = clock.every(hostCheckMs, () => this.#askHost());
  }

  async stop(): Promise<void> {
    this.#stopChecks?.();
    this.#stopChecks = undefined;
  }

  /** The mapping of this boot, as the feed tells it. */
  get boot(): FeedBoot {
    return {
      boot: this.#options.boot,
      wall0: this.#firstWall0 ?? null,
      guess0: this.#guess0,
      source: this.#source ?? 'none',
    };
  }

  get synced(): boolean {
    return this.#wall0 !== undefined;
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

  /** Calls `listener` at each step; the returned function ends that. */
  onStep(listener: (step: ClockStep) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Told by the unit's own leader, with each of its requests: its time, milliseconds since 1970. */
  hearLeader(wallMs: number): void {
    this.#hear('leader', wallMs);
  }

  #askHost(): void {
    if (this.#options.hostSynced()) this.#hear('ntp', this.#options.clock.now());
  }

  #hear(source: TimeSource, wallMs: number): void {
    const wall0 = Math.floor(wallMs - this.mono() / 1_000);
    if (this.#wall0 === undefined) {
      this.#firstWall0 = wall0;
      this.#wall0 = wall0;
      this.#source = source;
      return;
    }
    // A host that NTP keeps knows better than a leader, so the two cannot push the time back and forth.
    if (this.#source === 'ntp' && source === 'leader') return;
    if (Math.abs(wall0 - this.#wall0) <= toleranceMs) {
      this.#doubt = undefined;
      return;
    }
    if (source === 'leader' && !this.#isConfirmed(wall0)) return;
    this.#step(source, wall0);
  }

  #isConfirmed(wall0: number): boolean {
    const before = this.#doubt;
    this.#doubt = wall0;
    return before !== undefined && Math.abs(wall0 - before) <= agreementMs;
  }

  #step(source: TimeSource, wall0: number): void {
    const from = this.now();
    this.#wall0 = wall0;
    this.#source = source;
    this.#doubt = undefined;
    const step = { from_ms: from, to_ms: this.now(), source };
    for (const listener of this.#listeners) listener(step);
  }

  #wallAt(mono: number): number {
    return Math.floor((this.#wall0 ?? this.#guess0) + mono / 1_000);
  }
}
