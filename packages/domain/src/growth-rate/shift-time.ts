import type { GrowthRateState } from './growth-rate-state.ts';

/** Time of the filter's newest reading, milliseconds since 1970; undefined before the first. */
export const newestReadingMs = ({ running, waiting, anchor }: GrowthRateState): number | undefined =>
  running?.atMs ?? waiting.at(-1)?.atMs ?? anchor?.atMs;

/** Shifts all times of the state after a clock step of `byMs` (negative: back). */
export function shiftTime(state: GrowthRateState, byMs: number): GrowthRateState {
  const shifted = <Timed extends { readonly atMs: number }>(timed: Timed): Timed => ({
    ...timed,
    atMs: timed.atMs + byMs,
  });
  const { running, waiting, anchor } = state;
  if (running === null) return { ...state, ...(anchor && { anchor: shifted(anchor) }), waiting: waiting.map(shifted) };
  const noiseModel = { ...running.noiseModel, recent: running.noiseModel.recent.map(shifted) };
  return {
    ...state,
    waiting: waiting.map(shifted),
    running: { ...shifted(running), warmUp: shifted(running.warmUp), noiseModel },
  };
}
