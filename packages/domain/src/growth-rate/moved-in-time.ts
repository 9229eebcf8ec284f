import type { GrowthRateState } from './growth-rate-state.ts';

/** When the newest reading of a filter was taken, milliseconds since 1970; undefined when it has seen none. */
export const newestReadingMs = ({ running, waiting, anchor }: GrowthRateState): number | undefined =>
  running?.atMs ?? waiting.at(-1)?.atMs ?? anchor?.atMs;

/** The clock was set by so much (below 0: back): what the filter remembers, as if it had always gone like that. */
export function movedInTime(state: GrowthRateState, byMs: number): GrowthRateState {
  const moved = <Dated extends { readonly atMs: number }>(dated: Dated): Dated => ({
    ...dated,
    atMs: dated.atMs + byMs,
  });
  const { running, waiting, anchor } = state;
  if (running === null) return { ...state, ...(anchor && { anchor: moved(anchor) }), waiting: waiting.map(moved) };
  const texture = { ...running.texture, recent: running.texture.recent.map(moved) };
  return {
    ...state,
    waiting: waiting.map(moved),
    running: { ...moved(running), warmUp: moved(running.warmUp), texture },
  };
}
