import { describe, expect, it } from 'vitest';
import { findNoiseProfile, noiseNames } from './optics.ts';
import { driftAt, type SignalDrift } from './signal-drift.ts';

const hourS = 3600;
const values = (drift: SignalDrift, untilS: number) =>
  Array.from({ length: untilS / 5 }, (_, index) => driftAt(drift, 5 * index));
const deviation = (all: readonly number[]): number =>
  Math.sqrt(all.reduce((sum, value) => sum + value ** 2, 0) / all.length);
/** Of the means of windows of so many seconds. */
const slowDeviation = (all: readonly number[], windowS: number): number => {
  const count = windowS / 5;
  const means = Array.from({ length: Math.floor(all.length / count) }, (_, index) =>
    all.slice(count * index, count * (index + 1)).reduce((sum, value) => sum + value / count, 0),
  );
  return deviation(means);
};

describe('the drift of a signal', () => {
  it('that is pink has its deviation, and much of it remains over minutes', () => {
    const pink = values({ kind: 'pink', deviation: 0.005 }, 24 * hourS);
    expect(deviation(pink)).toBeGreaterThan(0.0045);
    expect(deviation(pink)).toBeLessThan(0.0055);
    expect(slowDeviation(pink, 600)).toBeGreaterThan(0.3 * 0.005);
  });

  it('that cycles returns after its period', () => {
    const cycle = { kind: 'cycle', amplitude: 0.005, periodS: 1200 } as const;
    expect(driftAt(cycle, 300)).toBeCloseTo(0.005, 9);
    expect(driftAt(cycle, 4 * hourS)).toBeCloseTo(0, 9);
  });

  it('of bubbles comes in bursts and raises the signal only', () => {
    const bursts = values({ kind: 'bursts', everyS: 1200, lastsS: 120, rise: 0.05 }, 24 * hourS);
    expect(Math.min(...bursts)).toBe(0);
    const raised = bursts.filter((value) => value > 0).length / bursts.length;
    expect(raised).toBeGreaterThan(0.08);
    expect(raised).toBeLessThan(0.12);
  });

  it('that flickers has two levels, half of the time each, and changes often between them', () => {
    const flicker = values({ kind: 'flicker', amplitude: 0.2, everyS: 30 }, 24 * hourS);
    expect([...new Set(flicker)].sort()).toEqual([-0.2, 0.2]);
    expect(flicker.filter((value) => value > 0).length / flicker.length).toBeCloseTo(0.5, 1);
    const changes = flicker.slice(1).filter((value, index) => value !== flicker[index]).length;
    expect(changes).toBeGreaterThan((0.3 * 24 * hourS) / 30);
  });

  it('is a setting of simulated units', () => {
    for (const name of ['slow', 'pink', 'cycling', 'bursts']) {
      expect(noiseNames).toContain(name);
      expect(findNoiseProfile(name)?.name).toBe(name);
    }
  });
});
