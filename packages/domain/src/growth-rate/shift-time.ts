import type { GrowthRateState } from './growth-rate-state.ts';

/** Time of the filter's newest reading, milliseconds since 1970; undefined before the first. */
export const newestReadingMs = ({ running, waiting, anchor }: GrowthRateState): number | undefined =>
  running?.atMs ?? waiting.at(-1)?.atMs ?? anchor?.atMs;

/** Shifts all times of the state after a clock step of `byMs` (negative: back). */
export function shiftTime(state: GrowthRateState, byMs: number): GrowthRateState {
  const moved = <Dated extends { readonly atMs: number }>(dated: Dated): Dated => ({
    ...dated,
    atMs: dated.atMs + byMs,
  });
  const { running, waiting, anchor } = state;
  if (running === null) return { ...state, ...(anchor && { anchor: moved(anchor) }), waiting: waiting.map(moved) };
  const noiseModel = { ...running.noiseModel, recent: running.noiseModel.recent.map(moved) };
  return {
    ...state,
    waiting: waiting.map(moved),
    running: { ...moved(running), warmUp: moved(running.warmUp), noiseModel },
  };
}
