import { describe, expect, it } from 'vitest';
import { quantile } from '../../curves/quantile.ts';
import { SeededStream } from '../../random/seeded-stream.ts';
import type { DrawnAction, DrawnFinding, DrawnRun } from './drawn-run.ts';
import { summariseDraws } from './summarise-draws.ts';
import { drawVial, usualCulture, usualPumpFlow } from './vial-draws.ts';

const series = (value: number | null) => ({
  od: [value, value],
  growth_rate: [null, null],
  temperature: [30, 30],
  volume: [15, 15],
  media_used: [0, 1],
  alt_media_used: [0, 0],
  waste: [0, 1],
});

const held = (unit: string, atHours: number): DrawnAction => ({
  unit,
  job: 'od_reading',
  path: 'common.jobs.od_reading.actions[1]',
  iteration: 0,
  action: 'when',
  atHours,
  outcome: 'held',
  reason: null,
});

const empty: DrawnFinding = {
  severity: 'error',
  code: 'media_bottle_empty',
  unit: 'a',
  message: 'The medium bottle is empty.',
  atHours: 4,
};

const drawn = (od: number, more: Partial<DrawnRun> = {}): DrawnRun => ({
  endedHours: 5,
  units: ['a', 'b'].map((unit, index) => ({ unit, values: series(od + index) })),
  actions: [held('a', od), held('b', od + 1)],
  findings: [],
  ...more,
});

it('interpolates quantiles', () => {
  expect(quantile([1, 2, 3, 4, 5], 0.5)).toBe(3);
  expect(quantile([0, 10], 0.25)).toBe(2.5);
  expect(quantile([7], 0.9)).toBe(7);
});

describe('the summary of draws', () => {
  const draws = [1, 2, 3, 4, 5].map((od) => drawn(od));

  it('has a band for each quantity of a unit', () => {
    const { units } = summariseDraws(draws, [['a'], ['b']]);
    const od = units.find(({ reactor_unit }) => reactor_unit === 'b')?.series.find(({ name }) => name === 'od');
    expect(od).toEqual({ name: 'od', unit: 'OD', median: [4, 4], low: [2.4, 2.4], high: [5.6, 5.6] });
    const rate = units[0]?.series.find(({ name }) => name === 'growth_rate');
    expect(rate?.median).toEqual([null, null]);
  });

  it('lets alike units stand for each other', () => {
    const { units } = summariseDraws(draws, [['a', 'b']]);
    const bands = units.map(({ series: all }) => all.find(({ name }) => name === 'od')?.median);
    expect(bands).toEqual([
      [3.5, 3.5],
      [3.5, 3.5],
    ]);
  });

  it('has the times of conditions, and the share of draws in which they came true', () => {
    const some = [drawn(1), drawn(3, { actions: [] })];
    const [first] = summariseDraws(some, [['a'], ['b']]).units;
    expect(first?.conditions).toMatchObject([{ iteration: 0, share: 0.5, low_h: 1, median_h: 1, high_h: 1 }]);
  });

  it('can finish when every draw does so without an error', () => {
    const canFinish = (runs: readonly DrawnRun[]) => summariseDraws(runs, [['a'], ['b']]).canFinish;
    expect(canFinish(draws)).toBe('yes');
    expect(canFinish([drawn(1), drawn(2, { findings: [empty] })])).toBe('uncertain');
    expect(canFinish([drawn(1, { endedHours: null })])).toBe('no');
  });

  it('joins the same findings of several draws', () => {
    const later = { ...empty, atHours: 6 };
    const { findings } = summariseDraws(
      [drawn(1, { findings: [empty] }), drawn(2, { findings: [later] }), drawn(3)],
      [],
    );
    expect(findings).toMatchObject([{ code: 'media_bottle_empty', reactor_unit: 'a', at_h: 5, share: 2 / 3 }]);
  });
});

describe('the vial of a draw', () => {
  const known = usualCulture('ecoli_glucose');
  if (known === undefined) throw new Error('There must be E. coli.');

  it('has the expected values without a stream', () => {
    const vial = drawVial({ ...known, growthRate: 0.6, lagHours: 2 }, usualPumpFlow, undefined);
    expect(vial.organismValues.bestRate).toBeCloseTo(0.6, 9);
    expect(vial.initialOd).toBe(0.05);
    expect(vial.pumpFlow).toEqual(usualPumpFlow);
    // Baranyi: the lag is ln(1 + 1/readiness) / rate.
    expect(Math.log(1 + 1 / (vial.organismValues.readiness ?? 0)) / 0.6).toBeCloseTo(2, 6);
  });

  it('grows at the given rate at its temperature, not at the best one', () => {
    const cold = drawVial({ ...known, growthRate: 0.3, temperatureC: 25 }, usualPumpFlow, undefined);
    expect(cold.organismValues.bestRate).toBeGreaterThan(0.4);
  });

  it('scatters by the given spread, the same for the same stream', () => {
    const rates = Array.from({ length: 400 }, (_, draw) => {
      const vial = drawVial({ ...known, growthRateSpread: 0.2 }, usualPumpFlow, new SeededStream(draw));
      return Math.log((vial.organismValues.bestRate ?? 0) / known.growthRate);
    });
    const mean = rates.reduce((sum, one) => sum + one, 0) / rates.length;
    const deviation = Math.sqrt(rates.reduce((sum, one) => sum + (one - mean) ** 2, 0) / rates.length);
    expect(Math.abs(mean)).toBeLessThan(0.04);
    expect(Math.abs(deviation - 0.2)).toBeLessThan(0.03);
    const again = () => drawVial(known, usualPumpFlow, new SeededStream(3));
    expect(again()).toEqual(again());
  });

  it('is not there for an unknown organism', () => {
    expect(usualCulture('__proto__')).toBeUndefined();
  });
});
