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
  const { noiseModel, realised, pending, unseenAtMs, move } = running;
  return {
    ...state,
    waiting: waiting.map(shifted),
    running: {
      ...shifted(running),
      noiseModel: { ...noiseModel, recent: noiseModel.recent.map(shifted) },
      realised: {
        ...realised,
        nextMs: realised.nextMs + byMs,
        blocks: realised.blocks.map(shifted),
        rates: realised.rates.map(shifted),
      },
      pending: pending && shifted(pending),
      unseenAtMs: unseenAtMs === null ? null : unseenAtMs + byMs,
      ...(move && { move: { ...shifted(move), newestMs: move.newestMs + byMs } }),
    },
  };
}
