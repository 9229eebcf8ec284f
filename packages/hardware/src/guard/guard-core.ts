import { type PwmChannel, pwmChannels } from '../board-layout.ts';
import {
  type GuardLimits,
  type GuardNotice,
  type GuardRequest,
  type GuardResponse,
  type HeatLimits,
  type OutputId,
  outputIds,
  type PastRun,
  type PumpLimits,
  type PwmUse,
  type PwmWiring,
  type RefusalCode,
  type Wiring,
} from './guard-types.ts';
import { confirmEveryMs, HeatGuard, longestWithoutReadingMs } from './heat-guard.ts';
import { Leases } from './leases.ts';
import { PumpLedger } from './pump-ledger.ts';

export interface GuardCoreOptions {
  /** Effective until the next `wiring` request. */
  readonly wiring: Wiring;
  /** undefined: leases do not end and the node is not watched (guard and node are one process and end together). */
  readonly watch: { readonly leaseMs: number; readonly stallMs: number } | undefined;
  /** How often the temperature is read while heating, ms. Default 1,000; rarely in a simulation that must be quick. */
  readonly heatCheckMs?: number;
}

interface OutputState {
  readonly percent: number;
  readonly sinceMs: number;
  readonly endsAtMs: number | undefined;
}

type AcquireRequest = Extract<GuardRequest, { kind: 'acquire' }>;
type SetRequest = Extract<GuardRequest, { kind: 'set' }>;

/** While heating the temperature is read this often; before heating a reading must not be older. */
export const whileHeatingMs = 1000;

/** The longest silence of the node that a stall of the guard itself excuses. Chosen: longer than it takes to read a process in again. */
const longestExcuseMs = 3000;

const off: OutputState = { percent: 0, sinceMs: 0, endsAtMs: undefined };
const done: GuardResponse = { ok: true };
const refused = (code: RefusalCode): GuardResponse => ({ ok: false, code });

/**
 * Decides the levels of the outputs; depends on neither chips nor timers. Each call passes the time and first carries out
 * what has become due by then, so that a late command never finds a lease that is over.
 */
export class GuardCore {
  readonly #options: GuardCoreOptions;
  readonly #outputs = new Map<OutputId, OutputState>();
  /** When the first timed run of an output ends. */
  #nextEndMs = Number.POSITIVE_INFINITY;
  readonly #pumps = new Map<OutputId, PumpLedger>();
  readonly #heat = new HeatGuard();
  readonly #leases: Leases;
  #wiring: Wiring;
  #heaters: ReadonlySet<OutputId>;
  /** Takes the place of `#wiring` as soon as no lease holds a PWM output. */
  #nextWiring: Wiring | undefined;
  #limits: GuardLimits | null = null;
  #parentSeenMs: number | undefined;
  /** Part of the silence since then that a stall of the guard explains. */
  #excusedMs = 0;
  #notices: GuardNotice[] = [];
  /** Level of the heater that the node knows. */
  #knownHeat = 0;

  constructor(options: GuardCoreOptions) {
    this.#options = options;
    this.#wiring = options.wiring;
    this.#heaters = heatersOf(options.wiring);
    this.#leases = new Leases(options.watch?.leaseMs ?? Number.POSITIVE_INFINITY);
  }

  /** The present wiring of the PWM channels. */
  get wiring(): Wiring {
    return this.#wiring;
  }

  /** Required level of the output, percent. */
  level(output: OutputId): number {
    const { percent } = this.#outputs.get(output) ?? off;
    return percent > 0 && this.isHeater(output) ? this.#heat.allowed(percent) : percent;
  }

  /** The output whose heat the sensor measures. */
  get heater(): OutputId | undefined {
    return outputIds.find((output) => this.isHeater(output));
  }

  isHeater(output: OutputId): boolean {
    return this.#heaters.has(output);
  }

  /** Milliseconds since the last temperature reading. */
  temperatureAgeMs(nowMs: number): number {
    return this.#heat.ageMs(nowMs);
  }

  /** Milliseconds from one reading of the temperature to the next; undefined while none is needed. */
  temperatureEveryMs(nowMs: number): number | undefined {
    if (this.#heat.isConfirming(nowMs)) return confirmEveryMs;
    return this.#isHeatingNow() ? (this.#options.heatCheckMs ?? whileHeatingMs) : undefined;
  }

  /** What happened since the last call of this. */
  takeNotices(): GuardNotice[] {
    const notices = this.#notices;
    if (notices.length > 0) this.#notices = [];
    return notices;
  }

  handle(request: GuardRequest, nowMs: number): GuardResponse {
    this.pass(nowMs);
    this.#parentSeenMs = nowMs;
    this.#excusedMs = 0;
    switch (request.kind) {
      case 'limits':
        return this.#setLimits(request.limits, nowMs);
      case 'wiring':
        this.#nextWiring = request.wiring;
        this.#rewire(nowMs);
        return done;
      case 'past_runs':
        return this.#remember(request.runs, nowMs);
      case 'acquire':
        if (request.outputs.some((output) => this.#isChanging(output))) return refused('wiring_changes');
        return this.#acquire(request, nowMs);
      case 'renew':
        return this.#leases.renew(request.leases, nowMs) ? done : refused('no_lease');
      case 'set':
        return this.#set(request, nowMs);
      case 'release':
        this.#switchOffAll(this.#leases.release(request.lease), nowMs);
        this.#rewire(nowMs);
        return done;
      case 'stop':
        if (!Number.isSafeInteger(request.generation)) return refused('bad_request');
        this.#switchOffAll(this.#leases.stop(request.generation, request.outputs ?? outputIds), nowMs);
        this.#rewire(nowMs);
        return done;
    }
  }

  /**
   * The guard itself did not run for a while (its computer was short of memory or time): messages of the node may be waiting for it. Call it
   * first then: the time limit of a silent node begins anew. Pumps end all the same.
   */
  excuseParent(nowMs: number): void {
    if (this.#parentSeenMs !== undefined) this.#excusedMs = Math.min(nowMs - this.#parentSeenMs, longestExcuseMs);
  }

  /** Executes everything that is due by now. */
  pass(nowMs: number): void {
    this.#endTimes(nowMs);
    this.#checkTemperatureAge(nowMs);
    for (const { lease, outputs } of this.#leases.expire(nowMs)) {
      this.#switchOffAll(outputs, nowMs);
      this.#notices.push({ what: 'lease_lost', lease, outputs });
    }
    this.#rewire(nowMs);
    if (nowMs >= this.#parentLostAtMs()) this.parentLost(nowMs);
  }

  #parentLostAtMs(): number {
    const { watch } = this.#options;
    if (watch === undefined || this.#parentSeenMs === undefined) return Number.POSITIVE_INFINITY;
    return this.#parentSeenMs + this.#excusedMs + watch.stallMs;
  }

  /** The node has ended or is stalled: all leases are void, everything is off. It may come back and request again. */
  parentLost(nowMs: number): void {
    this.#parentSeenMs = undefined;
    this.#excusedMs = 0;
    this.#leases.clear();
    this.#switchOffAll(outputIds, nowMs);
    this.#rewire(nowMs);
    this.#notices.push({ what: 'parent_lost' }, { what: 'all_off' });
  }

  /** When `pass` has something to do, if nothing else happens. */
  nextDueMs(): number {
    return Math.min(this.#leases.nextEndMs(), this.#nextEndMs, this.#parentLostAtMs());
  }

  temperatureRead(celsius: number, nowMs: number): void {
    this.pass(nowMs);
    if (this.#limits === null) return;
    const { heater } = this;
    if (heater === undefined) return;
    const limit = this.#heat.read(celsius, this.#limits.heat, nowMs);
    if (this.#heat.isTooHot || this.#heat.isShutDown || this.#heat.isDetached) this.#switchOff(heater, nowMs);
    this.#noteHeat(heater);
    if (limit !== undefined) this.#notices.push({ what: 'limit', output: heater, limit, value: celsius });
  }

  /** Not with a command: its response would arrive later, with the level that it asked for. */
  #noteHeat(output: OutputId): void {
    const percent = this.level(output);
    if (!this.isHeater(output) || percent === this.#knownHeat) return;
    this.#knownHeat = percent;
    const requested = (this.#outputs.get(output) ?? off).percent;
    this.#notices.push({ what: 'overridden', output, percent, requested });
  }

  /** The output could not be driven: its required and its assumed level are off. */
  outputFailed(output: OutputId, nowMs: number): void {
    this.#switchOff(output, nowMs);
    this.#noteHeat(output);
  }

  /** The output could not be set again, and was off from then on. A run for a time has ended; another level is tried on. */
  outputWentOff(output: OutputId, atMs: number): void {
    const { endsAtMs, sinceMs } = this.#outputs.get(output) ?? off;
    if (endsAtMs === undefined) return;
    this.#notices.push({ what: 'cut', output, ranMs: atMs - sinceMs });
    this.#switchOff(output, atMs);
  }

  #acquire(request: AcquireRequest, nowMs: number): GuardResponse {
    const response = this.#leases.acquire(request, nowMs);
    if (response.ok && request.outputs.some((output) => this.isHeater(output))) this.#heat.taken(request.generation);
    return response;
  }

  #set(request: SetRequest, nowMs: number): GuardResponse {
    const { lease, generation, output, percent, forMs } = request;
    // A value from another process may not be a number: null is neither below 0 nor above 100.
    if (!Number.isFinite(percent) || percent < 0 || percent > 100) return refused('bad_request');
    if (forMs !== undefined && !(Number.isFinite(forMs) && forMs > 0)) return refused('bad_request');
    const missing = this.#leases.refusal(lease, generation, output) ?? this.#refusal(request, nowMs);
    if (missing !== undefined) return refused(missing);
    this.#pumps.get(output)?.change(percent, nowMs);
    const before = this.#outputs.get(output) ?? off;
    const endsAtMs = percent === 0 || forMs === undefined ? undefined : nowMs + forMs;
    this.#put(output, { percent, sinceMs: before.percent > 0 ? before.sinceMs : nowMs, endsAtMs });
    if (this.isHeater(output)) {
      this.#heat.requested(percent, nowMs);
      this.#knownHeat = percent;
    }
    return done;
  }

  #refusal(request: SetRequest, nowMs: number): RefusalCode | undefined {
    const use = this.#useOf(request.output);
    if (use === undefined) return 'unknown_output';
    if (request.percent === 0) return undefined;
    if (use === 'heater') return this.#heaterRefusal(nowMs);
    return use === 'pump' ? this.#pumpRefusal(request, nowMs) : undefined;
  }

  #isHeatingNow(): boolean {
    for (const output of this.#heaters) if (this.#isHeating(output)) return true;
    return false;
  }

  /** Whether a job has this heater on, also while the guard holds it off until the next readings. */
  #isHeating(output: OutputId): boolean {
    return this.isHeater(output) && (this.#outputs.get(output) ?? off).percent > 0;
  }

  #heaterRefusal(nowMs: number): RefusalCode | undefined {
    if (this.#limits === null) return 'no_limits';
    if (this.#heat.ageMs(nowMs) >= longestWithoutReadingMs) return 'no_temperature';
    if (this.#heat.isDetached) return 'sensor_detached';
    if (this.#heat.isShutDown) return 'shut_down';
    return this.#heat.isTooHot ? 'too_hot' : undefined;
  }

  #ledgerOf(output: OutputId): PumpLedger {
    const ledger = this.#pumps.get(output) ?? new PumpLedger();
    this.#pumps.set(output, ledger);
    return ledger;
  }

  /** Also for outputs that are not pumps: they may become pumps. */
  #remember(runs: readonly PastRun[], nowMs: number): GuardResponse {
    const isUsable = ({ percent, ranMs, endedAgoMs }: PastRun) =>
      [percent, ranMs, endedAgoMs].every((value) => Number.isFinite(value) && value >= 0);
    if (!runs.every(isUsable)) return refused('bad_request');
    for (const { output, percent, ranMs, endedAgoMs } of runs) {
      const toMs = nowMs - endedAgoMs;
      this.#ledgerOf(output).remember({ fromMs: toMs - ranMs, toMs, percent });
    }
    return done;
  }

  #pumpRefusal({ output, percent, forMs }: SetRequest, nowMs: number): RefusalCode | undefined {
    const channel = pwmChannelOf(output);
    const limits = channel === undefined ? undefined : this.#limits?.pumps[channel];
    if (limits === undefined) return 'no_limits';
    if (forMs === undefined) return 'duration_needed';
    return this.#ledgerOf(output).refusal(limits, percent, forMs, nowMs);
  }

  /** Whether something else is to be connected to this output once it is free. */
  #isChanging(output: OutputId): boolean {
    const channel = pwmChannelOf(output);
    if (channel === undefined || this.#nextWiring === undefined) return false;
    return !isSameWiring(this.#wiring[channel], this.#nextWiring[channel]);
  }

  /** While a PWM output is held, nothing changes: its limits are those it was taken under. */
  #rewire(nowMs: number): void {
    const next = this.#nextWiring;
    if (next === undefined || outputIds.some((output) => this.#leases.isHeld(output) && isPwm(output))) return;
    this.#nextWiring = undefined;
    const isSame = pwmChannels.every((channel) => isSameWiring(this.#wiring[channel], next[channel]));
    if (isSame) return;
    this.#switchOffAll(outputIds.filter(isPwm), nowMs);
    this.#wiring = next;
    this.#heaters = heatersOf(next);
  }

  #setLimits(limits: GuardLimits | null, nowMs: number): GuardResponse {
    const before = this.#limits;
    this.#limits = limits;
    for (const output of outputIds) {
      const isChanged =
        JSON.stringify(this.#limitsOf(output, limits)) !== JSON.stringify(this.#limitsOf(output, before));
      if (!isChanged) continue;
      const { endsAtMs, sinceMs } = this.#outputs.get(output) ?? off;
      if (endsAtMs !== undefined) this.#notices.push({ what: 'cut', output, ranMs: nowMs - sinceMs });
      this.#switchOff(output, nowMs);
      this.#noteHeat(output);
    }
    return done;
  }

  /** Those that an output runs under; undefined when it has none. */
  #limitsOf(output: OutputId, limits: GuardLimits | null): HeatLimits | PumpLimits | undefined {
    const use = this.#useOf(output);
    const channel = pwmChannelOf(output);
    if (use === 'heater') return limits?.heat;
    return use === 'pump' && channel !== undefined ? limits?.pumps[channel] : undefined;
  }

  #endTimes(nowMs: number): void {
    if (this.#nextEndMs > nowMs) return;
    for (const [output, { percent, sinceMs, endsAtMs }] of this.#outputs) {
      if (percent === 0 || endsAtMs === undefined || endsAtMs > nowMs) continue;
      this.#switchOff(output, nowMs);
      this.#notices.push({ what: 'ended', output, ranMs: nowMs - sinceMs });
    }
  }

  #checkTemperatureAge(nowMs: number): void {
    const value = this.#heat.ageMs(nowMs);
    if (value < longestWithoutReadingMs) return;
    for (const output of outputIds) {
      if (!this.#isHeating(output)) continue;
      this.#switchOff(output, nowMs);
      this.#notices.push({ what: 'limit', output, limit: 'no_temperature', value });
      this.#noteHeat(output);
    }
  }

  #put(output: OutputId, state: OutputState): void {
    this.#outputs.set(output, state);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { endsAtMs } of this.#outputs.values()) nextMs = Math.min(nextMs, endsAtMs ?? nextMs);
    this.#nextEndMs = nextMs;
  }

  /** The node knows of these: it asked for it, or learns that its leases are void. */
  #switchOffAll(outputs: readonly OutputId[], nowMs: number): void {
    for (const output of outputs) {
      this.#switchOff(output, nowMs);
      if (this.isHeater(output)) this.#knownHeat = 0;
    }
  }

  #switchOff(output: OutputId, nowMs: number): void {
    if ((this.#outputs.get(output) ?? off).percent === 0) return;
    this.#pumps.get(output)?.change(0, nowMs);
    this.#put(output, off);
    if (this.isHeater(output)) this.#heat.requested(0, nowMs);
  }

  #useOf(output: OutputId): PwmUse | undefined {
    const channel = pwmChannelOf(output);
    return channel === undefined ? 'other' : this.#wiring[channel]?.use;
  }
}

const channelByOutput: Readonly<Partial<Record<OutputId, PwmChannel>>> = {
  pwm1: 1,
  pwm2: 2,
  pwm3: 3,
  pwm4: 4,
  pwm5: 5,
};

const pwmChannelOf = (output: OutputId): PwmChannel | undefined => channelByOutput[output];

const heatersOf = (wiring: Wiring): ReadonlySet<OutputId> =>
  new Set(
    pwmChannels.filter((channel) => wiring[channel]?.use === 'heater').map((channel) => `pwm${channel}` as const),
  );

const isPwm = (output: OutputId): boolean => pwmChannelOf(output) !== undefined;

const isSameWiring = (one: PwmWiring | undefined, other: PwmWiring | undefined): boolean =>
  one?.use === other?.use && one?.hertz === other?.hertz;
