import { type HotRun, isBoardTemperature, updateHotRun } from '@lcs/domain/boards';
import type { HeatLimits } from './guard-types.ts';

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

/** A heater at this level or above makes its board warmer; if the board does not get warmer in time, its sensor is detached. */
const strongPercent = 50;
const leastRiseCelsius = 0.5;
const longestWithoutRiseMs = 600_000;
/** A pause this short does not reset the check of a heater that is on; after any longer pause it starts again. */
const longestRestMs = 240_000;
const shortestRestMs = 30_000;
/** A reading before the heater came on counts as its beginning for so long. */
const coldForMs = 5_000;

/** State of a heater at high power: the temperature of its board at the beginning, and the time since its last rise. */
interface Strong {
  readonly beginCelsius: number;
  readonly lastMs: number;
  readonly noRiseSinceMs: number;
}

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
  #strong: Strong | undefined;
  #isDetached = false;
  /** Of the jobs that have had the heater, the newest. */
  #generation = Number.NEGATIVE_INFINITY;
  /** The last reading before the heater came on. */
  #cold: { readonly celsius: number; readonly atMs: number } | undefined;

  /** The allowed level for a requested one. */
  allowed(percent: number): number {
    if (this.#isDetached) return 0;
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
    this.#strong = undefined;
    if (this.#state.is === 'shut_down') this.#state = { is: this.#state.isCoolNow ? 'free' : 'disabled' };
  }

  /** Milliseconds since the last reading; infinite when there was none. */
  ageMs(nowMs: number): number {
    return this.#readAtMs === undefined ? Number.POSITIVE_INFINITY : nowMs - this.#readAtMs;
  }

  /** Takes a reading while the heater is at `percent`; returns the limit that acts with it for the first time, or again. */
  read(celsius: number, percent: number, limits: HeatLimits, nowMs: number): HeatStep | undefined {
    if (!isBoardTemperature(celsius)) return undefined;
    this.#readAtMs = nowMs;
    const before = this.#state;
    this.#state = nextState(before, celsius, percent, limits);
    if (this.#state.is === 'suspected') return undefined;
    if (this.#isHeatMissing(celsius, percent, nowMs)) return 'sensor_detached';
    if (this.#state.is === 'reduced') return percent > 0 ? 'reduce' : undefined;
    if (this.#state.is === before.is || this.#state.is === 'free') return undefined;
    return this.#state.is === 'disabled' ? 'disable' : 'shutdown';
  }

  /** Whether this reading confirms a detached sensor. */
  #isHeatMissing(celsius: number, percent: number, nowMs: number): boolean {
    if (this.#isDetached) return false;
    if (percent === 0) {
      this.#cold = { celsius, atMs: nowMs };
      return false;
    }
    const cold = this.#cold !== undefined && nowMs - this.#cold.atMs < coldForMs ? this.#cold.celsius : celsius;
    const isStrong = percent >= strongPercent;
    this.#strong = isStrong ? strongWith(this.#strong, celsius, Math.min(cold, celsius), nowMs) : undefined;
    this.#isDetached = this.#strong !== undefined && nowMs - this.#strong.noRiseSinceMs >= longestWithoutRiseMs;
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

function strongWith(before: Strong | undefined, celsius: number, coldCelsius: number, nowMs: number): Strong {
  const restMs = before === undefined ? Number.POSITIVE_INFINITY : nowMs - before.lastMs;
  if (before === undefined || restMs > longestRestMs)
    return { beginCelsius: coldCelsius, lastMs: nowMs, noRiseSinceMs: nowMs };
  const beginCelsius = restMs >= shortestRestMs ? coldCelsius : before.beginCelsius;
  const rises = celsius >= beginCelsius + leastRiseCelsius;
  return { beginCelsius, lastMs: nowMs, noRiseSinceMs: rises ? nowMs : before.noRiseSinceMs };
}
