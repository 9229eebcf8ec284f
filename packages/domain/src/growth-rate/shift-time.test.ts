import { expect, it } from 'vitest';
import { observe } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters } from './growth-rate-parameters.ts';
import { type GrowthRateState, initialGrowthRateState } from './growth-rate-state.ts';
import { newestReadingMs, shiftTime } from './shift-time.ts';

/** After so many readings, five seconds apart, of a culture that grows. */
function after(readings: number, from: { readonly state: GrowthRateState; readonly atMs: number }): GrowthRateState {
  let { state } = from;
  for (let index = 1; index <= readings; index += 1) {
    const atMs = from.atMs + 5000 * index;
    const od = 0.3 * Math.exp(0.2 * index * (5 / 3600)) * (1 + 0.005 * Math.sin(7.3 * index));
    state = observe(state, defaultGrowthRateParameters, { atMs, ods: { '2': od } }).state;
  }
  return state;
}

it.each([3, 200])('a filter after %i readings goes on from another time exactly as it would have', (readings) => {
  const start = { state: initialGrowthRateState(), atMs: 1_000_000_000 };
  const known = after(readings, start);
  expect(newestReadingMs(known)).toBe(1_000_000_000 + 5000 * readings);
  const earlier = shiftTime(known, -3_600_000);
  const later = { state: known, atMs: 1_000_000_000 + 5000 * readings };
  const back = { state: earlier, atMs: later.atMs - 3_600_000 };
  expect(shiftTime(after(300, back), 3_600_000)).toEqual(after(300, later));
});

it('a jump of the level that is not settled moves, too', () => {
  const known = after(200, { state: initialGrowthRateState(), atMs: 1_000_000_000 });
  const { atMs } = known.running ?? { atMs: 0 };
  const moved = Array.from({ length: 10 }, (_, index) => atMs + 5000 * (index + 1)).reduce(
    (state, ms) => observe(state, defaultGrowthRateParameters, { atMs: ms, ods: { '2': 0.45 } }).state,
    known,
  );
  expect(moved.running?.move).toBeDefined();
  const later = shiftTime(moved, 7_200_000);
  expect(later.running?.move?.atMs).toBe((moved.running?.move?.atMs ?? 0) + 7_200_000);
  expect(later.running?.move?.newestMs).toBe((moved.running?.move?.newestMs ?? 0) + 7_200_000);
});

it('a filter without readings has no times to shift', () => {
  expect(newestReadingMs(initialGrowthRateState())).toBeUndefined();
  expect(shiftTime(initialGrowthRateState(), 5)).toEqual(initialGrowthRateState());
});
