import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import type { GrowthRateEstimate } from './filter-reading.ts';
import { observe, type UnusedReading } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters } from './growth-rate-parameters.ts';
import { type GrowthRateState, initialGrowthRateState } from './growth-rate-state.ts';

const startMs = Date.UTC(2026, 0, 1);
const noise = 0.004;

interface Culture {
  readonly startOd: number;
  /** Per hour. */
  readonly rate: (hours: number) => number;
  readonly hours: number;
  readonly everyS: number;
}

interface Followed {
  readonly truth: number;
  readonly trueRate: number;
  readonly estimate: GrowthRateEstimate | undefined;
  readonly unused: UnusedReading | undefined;
  /** By the estimate. */
  readonly od: number | undefined;
}

/** A blanked signal whose noise does not depend on the OD: where the culture is thin, readings are 0 and below. */
function followed(
  { startOd, rate, hours, everyS }: Culture,
  seed: number,
  keep: (state: GrowthRateState) => GrowthRateState = (state) => state,
): readonly Followed[] {
  const chance = new SeededStream(`near background ${seed}`);
  let state = initialGrowthRateState();
  let level = Math.log(startOd);
  const all: Followed[] = [];
  for (let atS = 0; atS < 3600 * hours; atS += everyS) {
    const trueRate = rate(atS / 3600);
    level += (trueRate * everyS) / 3600;
    const truth = Math.exp(level);
    const od = truth * (1 + 0.0056 * chance.normal()) + noise * chance.normal();
    const step = observe(keep(state), defaultGrowthRateParameters, {
      atMs: startMs + 1000 * atS,
      ods: { '2': od },
      bases: { '2': 'blank' },
    });
    state = step.state;
    const estimate = step.ok ? step.estimate : undefined;
    const reference = state.factors['2'] ?? Number.NaN;
    all.push({
      truth,
      trueRate,
      estimate,
      unused: step.ok ? undefined : step.unused,
      od: estimate && reference * estimate.normalizedOd,
    });
  }
  return all;
}

const seeds = [1, 2, 3, 4, 5, 6];
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe.each([
  [5, 0.6],
  [5, 0.3],
  [60, 0.6],
  [60, 0.3],
])('a culture inoculated at half the noise, with a reading every %d s, that grows by %d per hour', (everyS, rate) => {
  const hours = Math.log(0.2 / 0.002) / rate;
  const runs = seeds.map((seed) => followed({ startOd: 0.002, rate: () => rate, hours, everyS }, seed));

  it('has no growth rate until it is clear of the noise, for that reason', () => {
    const inNoise = runs.flatMap((run) => run.filter(({ truth }) => truth < 2 * noise));
    expect(inNoise.filter(({ estimate }) => estimate !== undefined)).toEqual([]);
    const reasons = inNoise.filter(({ unused }) => unused === 'near_background');
    expect(reasons.length).toBeGreaterThan(0.9 * inNoise.length);
  });

  it('then has rates and ODs without a bias, and within their deviations', () => {
    const known = runs.flatMap((run) =>
      run.flatMap(({ truth, estimate, od }) =>
        estimate === undefined || od === undefined
          ? []
          : [{ truth, od, error: estimate.rate - rate, sd: estimate.rateSd }],
      ),
    );
    const covered = known.filter(({ error, sd }) => Math.abs(error) <= 2 * sd);
    expect(known.length).toBeGreaterThan(0);
    expect(covered.length).toBeGreaterThan(0.97 * known.length);
    // A rate that follows within the uncertainty is no bias.
    expect(Math.abs(mean(known.map(({ error }) => error)))).toBeLessThan(0.02);
    const far = known.filter(({ truth }) => truth >= 20 * noise);
    expect(Math.abs(mean(far.map(({ error }) => error)))).toBeLessThan(0.01);
    expect(Math.abs(mean(known.map(({ od, truth }) => Math.log(od / truth))))).toBeLessThan(0.03);
  });
});

describe('a culture that is washed out into the noise and grows again', () => {
  const culture = { startOd: 0.1, hours: 18, everyS: 30, rate: (hours: number) => (hours < 8 ? -0.6 : 0.6) };

  it('has no rate there, and afterwards rates and ODs on the same scale', () => {
    for (const seed of seeds) {
      const run = followed(culture, seed);
      const inNoise = run.filter(({ truth }) => truth < noise);
      expect(inNoise.filter(({ estimate }) => estimate !== undefined)).toEqual([]);
      const [end] = run.slice(-1);
      expect(Math.abs(Math.log((end?.od ?? Number.NaN) / (end?.truth ?? 1)))).toBeLessThan(0.05);
      expect(end?.estimate?.rate).toBeCloseTo(0.6, 1);
    }
  });

  it('is followed in the same way by a filter that is stored and read after each reading', () => {
    const stored = (state: GrowthRateState): GrowthRateState => JSON.parse(JSON.stringify(state));
    expect(followed(culture, 1, stored)).toEqual(followed(culture, 1));
  });
});

it('a signal without any cells never has a growth rate', () => {
  const run = followed({ startOd: 1e-9, rate: () => 0, hours: 12, everyS: 5 }, 1);
  expect(run.filter(({ estimate }) => estimate !== undefined)).toEqual([]);
});
