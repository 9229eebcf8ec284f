import { type HotRun, isBoardTemperature, updateHotRun } from '@lcs/domain/boards';
import type { HeatLimits } from './guard-types.ts';
import { HeatEffect } from './heat-effect.ts';

/** Without a reading for this long the heater goes off. */
export const longestWithoutReadingMs = 30_000;

/** The absolute limit for all models: the vial's holder softens above. */
const highestShutdownCelsius = 85;

const cutWithEachReading = 0.9;

/**
 * After this number of consecutive readings at the last limit, each near the one before, the heater is refused until a person
 * starts a job again. It is off from the first of them on, and continues at its level after a cool one (a disturbed reading).
 * Chosen: a bus with random numbers does that once in 3,000 readings (a quarter of them is as hot, 1 in 25 is near the last).
 */
const readingsToLatch = 3;
/** While that is open the board is read this often; not for longer than this after the last reading that was one. */
export const confirmEveryMs = 250;
const confirmWithinMs = 2_000;

type HeatState =
  | { readonly is: 'free' }
  | { readonly is: 'reduced'; readonly mostPercent: number }
  /** At the last limit with the latest readings, which are too few to confirm it: off until the next ones decide. */
  | { readonly is: 'suspected'; readonly hot: HotRun }
  | { readonly is: 'disabled' }
  | { readonly is: 'shut_down'; readonly isCoolNow: boolean };

export type HeatStep = 'reduce' | 'disable' | 'shutdown' | 'sensor_detached';

/** The limit for the heater at the temperature of its board. */
export class HeatGuard {
  #state: HeatState = { is: 'free' };
  #readAtMs: number | undefined;
  readonly #effect = new HeatEffect();
  /** What a job wants, %. */
  #requested = 0;
  #isDetached = false;
  /** A pause of the heater in which the board must become colder. */
  #isResting = false;
  /** Of the jobs that have had the heater, the newest. */
  #generation = Number.NEGATIVE_INFINITY;

  /** The allowed level for a requested one. */
  allowed(percent: number): number {
    if (this.#isDetached || this.#isResting) return 0;
    if (this.#state.is === 'free') return percent;
    return this.#state.is === 'reduced' ? Math.min(percent, this.#state.mostPercent) : 0;
  }

  /** The heater is off; it may be requested again when the board is below the first limit. False while the limit is not confirmed. */
  get isTooHot(): boolean {
    return this.#state.is === 'disabled';
  }

  /** The last limit is confirmed: the heater stays off until a newer job takes it. */
  get isShutDown(): boolean {
    return this.#state.is === 'shut_down';
  }

  /** The sensor shows no effect of the heater: the heater stays off until a newer job takes it. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Whether the next readings decide if the board is at the last limit. */
  isConfirming(nowMs: number): boolean {
    return this.#state.is === 'suspected' && this.ageMs(nowMs) < confirmWithinMs;
  }

  /** A newer job was started by a person, or by a person's profile; a job that takes its lost lease again has no effect. */
  taken(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#isDetached = false;
    this.#isResting = false;
    this.#effect.forget();
    if (this.#state.is === 'shut_down') this.#state = { is: this.#state.isCoolNow ? 'free' : 'disabled' };
  }

  /** Milliseconds since the last reading; infinite when there was none. */
  ageMs(nowMs: number): number {
    return this.#readAtMs === undefined ? Number.POSITIVE_INFINITY : nowMs - this.#readAtMs;
  }

  /** A job wants this level from now on, or it is off. */
  requested(percent: number, nowMs: number): void {
    this.#requested = percent;
    this.#effect.driven(this.allowed(percent), nowMs);
  }

  /** Takes a reading; returns the limit that acts with it for the first time, or again. */
  read(celsius: number, limits: HeatLimits, nowMs: number): HeatStep | undefined {
    if (!isBoardTemperature(celsius)) return undefined;
    this.#readAtMs = nowMs;
    const percent = this.allowed(this.#requested);
    const before = this.#state;
    this.#state = nextState(before, celsius, percent, limits);
    const isMissing = this.#state.is !== 'suspected' && this.#isHeatMissing(celsius, nowMs);
    this.#effect.driven(this.allowed(this.#requested), nowMs);
    if (isMissing) return 'sensor_detached';
    if (this.#state.is === 'suspected') return undefined;
    if (this.#state.is === 'reduced') return percent > 0 ? 'reduce' : undefined;
    if (this.#state.is === before.is || this.#state.is === 'free') return undefined;
    return this.#state.is === 'disabled' ? 'disable' : 'shutdown';
  }

  /** Whether this reading confirms a detached sensor. */
  #isHeatMissing(celsius: number, nowMs: number): boolean {
    if (this.#isDetached) return false;
    this.#effect.read(celsius, nowMs);
    this.#isResting = this.#effect.isResting(nowMs);
    this.#isDetached = this.#effect.isMissing;
    return this.#isDetached;
  }
}

function nextState(state: HeatState, celsius: number, percent: number, limits: HeatLimits): HeatState {
  if (state.is === 'shut_down') return { is: 'shut_down', isCoolNow: celsius < limits.reduceCelsius };
  const run = state.is === 'suspected' ? state.hot : undefined;
  const hot = updateHotRun(run, celsius, Math.min(limits.shutdownCelsius, highestShutdownCelsius));
  if (hot !== undefined)
    return hot.count >= readingsToLatch ? { is: 'shut_down', isCoolNow: false } : { is: 'suspected', hot };
  if (celsius >= Math.min(limits.disableCelsius, highestShutdownCelsius)) return { is: 'disabled' };
  if (celsius < limits.reduceCelsius) return { is: 'free' };
  if (state.is === 'disabled' || state.is === 'suspected') return { is: 'disabled' };
  const fromPercent = percent > 0 ? percent : 100;
  const mostPercent = state.is === 'reduced' ? Math.min(fromPercent, state.mostPercent) : fromPercent;
  return { is: 'reduced', mostPercent: mostPercent * cutWithEachReading };
}
