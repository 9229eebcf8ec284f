import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { dosed, observe } from './growth-rate-filter.ts';
import { usualGrowthRate } from './growth-rate-parameters.ts';
import { freshGrowthRate } from './growth-rate-state.ts';
import type { Belief } from './kalman.ts';
import { calmShareAfter, exchanged, ofOneMind, together } from './minds.ts';

const belief = (rate: number, variance: number): Belief => ({
  ...{ level: 0.1, rate, drift: 0.2, slow: 0.01 },
  covariance: [1e-4, 0, 0, 0, variance, 0, 0, 0.1, 0, 1e-5],
});

describe('two minds', () => {
  it('that are one stay what they are', () => {
    const one = belief(0.5, 1e-3);
    const passed = together(exchanged(ofOneMind(one), 1));
    expect(passed.rate).toBeCloseTo(one.rate, 12);
    one.covariance.forEach((value, index) => {
      expect(passed.covariance[index]).toBeCloseTo(value, 12);
    });
  });

  it('are less certain together, the further they are apart', () => {
    const minds = { calm: belief(0.4, 1e-4), lively: belief(0.6, 1e-3), calmShare: 0.5 };
    const both = together(minds);
    expect(both.rate).toBeCloseTo(0.5, 12);
    expect(both.covariance[4]).toBeCloseTo((1e-4 + 1e-3) / 2 + 0.01, 12);
  });

  it('are believed by what they expected, and never given up', () => {
    const right = { innovation: 0.001, variance: 1e-4 };
    const wrong = { innovation: 0.03, variance: 1e-4 };
    expect(calmShareAfter(0.5, right, wrong)).toBeGreaterThan(0.95);
    expect(calmShareAfter(0.5, wrong, right)).toBeLessThan(0.05);
    expect(calmShareAfter(1e-9, wrong, wrong)).toBeGreaterThan(1e-9);
  });

  it('are calm in steady growth, and not when the rate changes', () => {
    const chance = new SeededStream('minds').split('noise');
    const shares: { readonly timeS: number; readonly share: number }[] = [];
    let state = freshGrowthRate();
    for (let [timeS, level] = [0, 0]; timeS < 3 * 3600; timeS += 5) {
      level += ((timeS < 2 * 3600 ? 0.6 : 0) * 5) / 3600;
      const od = 0.1 * Math.exp(level) * (1 + 0.0056 * chance.normal());
      const { state: next } = observe(state, usualGrowthRate, { atMs: 1000 * timeS, ods: { '2': od } });
      state = next;
      shares.push({ timeS, share: state.running?.minds?.calmShare ?? 1 });
    }
    const within = (fromS: number, untilS: number) =>
      shares.filter(({ timeS }) => timeS >= fromS && timeS < untilS).map(({ share }) => share);
    expect(Math.min(...within(3600, 7200))).toBeGreaterThan(0.5);
    expect(Math.min(...within(7200, 8100))).toBeLessThan(0.1);
    expect(within(10_000, 10_800).at(-1)).toBeGreaterThan(0.5);
  });

  it('both hear of a dose', () => {
    let state = freshGrowthRate();
    for (let index = 0; index < 40; index += 1)
      state = observe(state, usualGrowthRate, {
        atMs: 5000 * index,
        ods: { '2': index % 2 === 0 ? 0.1 : 0.1005 },
      }).state;
    const before = state.running?.minds;
    const after = dosed(state, usualGrowthRate, { volumeMl: 14, addedMl: 1 }).running?.minds;
    for (const mind of ['calm', 'lively'] as const)
      expect((after?.[mind].level ?? 0) - (before?.[mind].level ?? 0)).toBeCloseTo(Math.log(14 / 15), 12);
  });
});
