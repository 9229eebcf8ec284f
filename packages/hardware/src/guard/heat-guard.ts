import type { HeatLimits } from './guard-types.ts';

/** Without a reading for this long the heater goes off. */
export const longestWithoutReadingMs = 30_000;

/** No model allows more than this, whatever it says: the vial's holder softens above. */
const highestShutdownCelsius = 85;

const cutWithEachReading = 0.9;

type HeatState =
  | { readonly is: 'free' }
  | { readonly is: 'reduced'; readonly mostPercent: number }
  | { readonly is: 'disabled' }
  | { readonly is: 'shut_down' };

export type HeatStep = 'reduce' | 'disable' | 'shutdown';

/** What the temperature of the heater's board allows. */
export class HeatGuard {
  #state: HeatState = { is: 'free' };
  #readAtMs: number | undefined;

  /** The level allowed for a wanted one. */
  allowed(percent: number): number {
    if (this.#state.is === 'free') return percent;
    return this.#state.is === 'reduced' ? Math.min(percent, this.#state.mostPercent) : 0;
  }

  isTooHot(): boolean {
    return this.#state.is === 'disabled' || this.#state.is === 'shut_down';
  }

  /** Milliseconds since the last reading; infinite when there was none. */
  ageMs(nowMs: number): number {
    return this.#readAtMs === undefined ? Number.POSITIVE_INFINITY : nowMs - this.#readAtMs;
  }

  /** Takes a reading while the heater is at `percent`; says which limit has begun to act with it, or acts again. */
  read(celsius: number, percent: number, limits: HeatLimits, nowMs: number): HeatStep | undefined {
    if (!Number.isFinite(celsius)) return undefined;
    this.#readAtMs = nowMs;
    const before = this.#state;
    this.#state = nextState(before, celsius, percent, limits);
    if (this.#state.is === 'reduced') return percent > 0 ? 'reduce' : undefined;
    if (this.#state.is === before.is || this.#state.is === 'free') return undefined;
    return this.#state.is === 'disabled' ? 'disable' : 'shutdown';
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
