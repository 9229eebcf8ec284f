import { vialPlantOf } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { type PastEnd, type PastSample, SimulatedPast } from './simulated-past.ts';

const hourMs = 3_600_000;
const toMs = Date.UTC(2026, 4, 2, 12);
const settings = { unit: 'unit1', initialOd: 0.01, ambientC: 26 };

function past(hours: number, seed = 1): { readonly samples: readonly PastSample[]; readonly end: PastEnd } {
  const pieces = new SimulatedPast({
    settings,
    seed,
    experimentUid: 'e',
    fromMs: toMs - hours * hourMs,
    toMs,
  }).pieces();
  const samples: PastSample[] = [];
  for (let piece = pieces.next(); ; piece = pieces.next()) {
    if (piece.done) return { samples, end: piece.value };
    samples.push(...piece.value);
  }
}

const of = (samples: readonly PastSample[], source: string) => samples.filter(({ series }) => series.source === source);

describe('the past of a simulated unit', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(past(1)).toEqual(past(1));
    expect(past(1).samples).not.toEqual(past(1, 2).samples);
  });

  it('has a reading every twenty seconds, all of them before now', () => {
    const od = of(past(2).samples, 'od');
    expect(od).toHaveLength(359);
    const times = od.map(({ at }) => at);
    expect(new Set(times.map((at, index) => at - (times[index - 1] ?? at - 20_000)))).toEqual(new Set([20_000]));
    expect(times.at(-1)).toBeLessThan(toMs);
  });

  it('is the growth of the vial: the rate is the true one, and the unit continues with this culture', () => {
    const { samples, end } = past(14);
    const plant = vialPlantOf({ ...settings, state: end.vial }, 1);
    const rates = of(samples, 'growth_rate');
    expect(rates.at(-1)?.value).toBeCloseTo(plant.vial.growthRate, 1);
    const od = of(samples, 'od').at(-1)?.value ?? 0;
    const expected = plant.vial.parameters.sensitivity * 0.092 * plant.vial.od ** 1.08;
    expect(od / expected).toBeGreaterThan(0.9);
    expect(od / expected).toBeLessThan(1.1);
    expect(end.memory['od_reading.reference_volts']).toMatchObject({ volts: expect.closeTo(0.1, 1), intensity: 80 });
  });

  it('stirs at its speed', () => {
    const rpm = of(past(2).samples, 'stirring_rpm').slice(-50);
    for (const { value } of rpm) expect(Math.abs(value - 500)).toBeLessThan(60);
  });
});
