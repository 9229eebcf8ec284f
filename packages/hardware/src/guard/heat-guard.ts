import type { HeatLimits } from './guard-types.ts';

/** Without a reading for this long the heater goes off. */
export const longestWithoutReadingMs = 30_000;

/** No model allows more than this, whatever it says: the vial's holder softens above. */
const highestShutdownCelsius = 85;

const cutWithEachReading = 0.9;

/** A heater at this level or above makes its board warmer; one that does not within the time has lost its sensor. */
const strongPercent = 50;
const leastRiseCelsius = 0.5;
const longestWithoutRiseMs = 600_000;
/** A rest this short goes with a heater that is on; after any rest the board is compared anew. */
const longestRestMs = 240_000;
const shortestRestMs = 30_000;
/** A reading before the heater came on counts as its beginning for so long. */
const coldForMs = 5_000;

/** What is known of a heater that is strong: what its board showed at the beginning, and since when it showed no more. */
interface Strong {
  readonly beginCelsius: number;
  readonly lastMs: number;
  readonly noRiseSinceMs: number;
}

type HeatState =
  | { readonly is: 'free' }
  | { readonly is: 'reduced'; readonly mostPercent: number }
  | { readonly is: 'disabled' }
  | { readonly is: 'shut_down' };

export type HeatStep = 'reduce' | 'disable' | 'shutdown' | 'sensor_detached';

/** What the temperature of the heater's board allows. */
export class HeatGuard {
  #state: HeatState = { is: 'free' };
  #readAtMs: number | undefined;
  #strong: Strong | undefined;
  #isDetached = false;
  /** The last reading before the heater came on. */
  #cold: { readonly celsius: number; readonly atMs: number } | undefined;

  /** The level allowed for a wanted one. */
  allowed(percent: number): number {
    if (this.#isDetached) return 0;
    if (this.#state.is === 'free') return percent;
    return this.#state.is === 'reduced' ? Math.min(percent, this.#state.mostPercent) : 0;
  }

  isTooHot(): boolean {
    return this.#state.is === 'disabled' || this.#state.is === 'shut_down';
  }

  /** The sensor does not see that the heater heats: nothing is heated until the heater is taken anew. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Somebody takes the heater anew: a person has looked at it. */
  taken(): void {
    this.#isDetached = false;
    this.#strong = undefined;
  }

  /** Milliseconds since the last reading; infinite when there was none. */
  ageMs(nowMs: number): number {
    return this.#readAtMs === undefined ? Number.POSITIVE_INFINITY : nowMs - this.#readAtMs;
  }

  /** Takes a reading while the heater is at `percent`; says which limit has begun to act with it, or acts again. */
  read(celsius: number, percent: number, limits: HeatLimits, nowMs: number): HeatStep | undefined {
    if (!Number.isFinite(celsius)) return undefined;
    this.#readAtMs = nowMs;
    if (this.#seesNoHeat(celsius, percent, nowMs)) return 'sensor_detached';
    const before = this.#state;
    this.#state = nextState(before, celsius, percent, limits);
    if (this.#state.is === 'reduced') return percent > 0 ? 'reduce' : undefined;
    if (this.#state.is === before.is || this.#state.is === 'free') return undefined;
    return this.#state.is === 'disabled' ? 'disable' : 'shutdown';
  }

  /** Whether it is found out with this reading. */
  #seesNoHeat(celsius: number, percent: number, nowMs: number): boolean {
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
  if (state.is === 'shut_down') return state;
  if (celsius >= Math.min(limits.shutdownCelsius, highestShutdownCelsius)) return { is: 'shut_down' };
  if (celsius >= Math.min(limits.disableCelsius, highestShutdownCelsius)) return { is: 'disabled' };
  if (celsius < limits.reduceCelsius) return { is: 'free' };
  if (state.is === 'disabled') return state;
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
