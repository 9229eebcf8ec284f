import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { applyDilution, observe } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters } from './growth-rate-parameters.ts';
import { initialGrowthRateState } from './growth-rate-state.ts';
import { combine, initialModes, mix, updateModeProbability } from './interacting-modes.ts';
import type { StateEstimate } from './kalman.ts';

const estimate = (rate: number, variance: number): StateEstimate => ({
  level: 0.1,
  rate,
  drift: 0.2,
  correlatedNoise: 0.01,
  covariance: [1e-4, 0, 0, 0, variance, 0, 0, 0.1, 0, 1e-5],
});

describe('the two modes of the filter', () => {
  it('keep the estimate and its covariance when they are equal', () => {
    const one = estimate(0.5, 1e-3);
    const mixed = combine(mix(initialModes(one), 1));
    expect(mixed.rate).toBeCloseTo(one.rate, 12);
    one.covariance.forEach((value, index) => {
      expect(mixed.covariance[index]).toBeCloseTo(value, 12);
    });
  });

  it('have a larger combined variance, the more they differ', () => {
    const modes = { slowMode: estimate(0.4, 1e-4), fastMode: estimate(0.6, 1e-3), slowModeProbability: 0.5 };
    const both = combine(modes);
    expect(both.rate).toBeCloseTo(0.5, 12);
    expect(both.covariance[4]).toBeCloseTo((1e-4 + 1e-3) / 2 + 0.01, 12);
  });

  it('gain probability by their predictions, and never fall to zero', () => {
    const right = { innovation: 0.001, variance: 1e-4 };
    const wrong = { innovation: 0.03, variance: 1e-4 };
    expect(updateModeProbability(0.5, right, wrong)).toBeGreaterThan(0.95);
    expect(updateModeProbability(0.5, wrong, right)).toBeLessThan(0.05);
    expect(updateModeProbability(1e-9, wrong, wrong)).toBeGreaterThan(1e-9);
  });

  it('favour the slow mode in steady growth and the fast mode when the rate changes', () => {
    const random = new SeededStream('minds').split('noise');
    const shares: { readonly timeS: number; readonly share: number }[] = [];
    let state = initialGrowthRateState();
    for (let [timeS, level] = [0, 0]; timeS < 3 * 3600; timeS += 5) {
      level += ((timeS < 2 * 3600 ? 0.6 : 0) * 5) / 3600;
      const od = 0.1 * Math.exp(level) * (1 + 0.0056 * random.normal());
      const { state: next } = observe(state, defaultGrowthRateParameters, { atMs: 1000 * timeS, ods: { '2': od } });
      state = next;
      shares.push({ timeS, share: state.running?.modes?.slowModeProbability ?? 1 });
    }
    const within = (fromS: number, untilS: number) =>
      shares.filter(({ timeS }) => timeS >= fromS && timeS < untilS).map(({ share }) => share);
    expect(Math.min(...within(3600, 7200))).toBeGreaterThan(0.5);
    expect(Math.min(...within(7200, 8100))).toBeLessThan(0.1);
    expect(within(10_000, 10_800).at(-1)).toBeGreaterThan(0.5);
  });

  it('both apply a dose', () => {
    let state = initialGrowthRateState();
    for (let index = 0; index < 40; index += 1)
      state = observe(state, defaultGrowthRateParameters, {
        atMs: 5000 * index,
        ods: { '2': index % 2 === 0 ? 0.1 : 0.1005 },
      }).state;
    const before = state.running?.modes;
    const after = applyDilution(state, defaultGrowthRateParameters, { volumeMl: 14, addedMl: 1 }).running?.modes;
    for (const mode of ['slowMode', 'fastMode'] as const)
      expect((after?.[mode].level ?? 0) - (before?.[mode].level ?? 0)).toBeCloseTo(Math.log(14 / 15), 12);
  });
});
