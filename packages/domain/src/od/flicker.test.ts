import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { flickers } from './flicker.ts';

/** A quarter of an hour of readings; `level` is ln of the signal without noise. */
function readings(level: (timeS: number, index: number) => number, everyS = 5, deviation = 0.006, seed = 1) {
  const noise = new SeededStream(seed);
  return Array.from({ length: Math.floor(900 / everyS) + 1 }, (_, index) => ({
    atMs: 1000 * everyS * index,
    level: level(everyS * index, index) + deviation * noise.normal(),
  }));
}

/** Spells of exponentially distributed lengths on each of two levels. */
function jumps(distance: number, meanS: number, seed: number): (timeS: number) => number {
  const random = new SeededStream(seed).split('jumps');
  const spell = (): number => Math.max(5, -meanS * Math.log(1 - random.uniform()));
  let [isHigh, nextS] = [false, spell()];
  return (timeS) => {
    while (timeS >= nextS) {
      isHigh = !isHigh;
      nextS += spell();
    }
    return isHigh ? distance : 0;
  };
}

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);
const hits = (make: (seed: number) => readonly { readonly atMs: number; readonly level: number }[]): number =>
  seeds.filter((seed) => flickers(make(seed))).length;

describe('readings that jump up and down', () => {
  it.each([
    [0.4, 15, 5],
    [0.4, 45, 5],
    [0.4, 120, 5],
    [0.2, 45, 5],
    [0.4, 120, 30],
  ])('flicker: levels %d apart, for %d s each, with a reading every %d s', (distance, meanS, everyS) => {
    expect(hits((seed) => readings(jumps(distance, meanS, seed), everyS, 0.006, seed))).toBeGreaterThanOrEqual(24);
  });

  it('flicker in a culture that grows by 1.5 per hour, too', () => {
    const grown = (seed: number) => {
      const jump = jumps(0.4, 45, seed);
      return readings((timeS) => (1.5 * timeS) / 3600 + jump(timeS), 5, 0.006, seed);
    };
    expect(hits(grown)).toBeGreaterThanOrEqual(24);
  });

  it('do so no longer when they have stayed on one level', () => {
    const jump = jumps(0.4, 30, 1);
    expect(flickers(readings((timeS) => (timeS < 450 ? jump(timeS) : 0)))).toBe(false);
  });
});

describe('no flicker', () => {
  it.each<[string, (timeS: number, index: number) => number, number]>([
    ['noise of 3 %', () => 0, 0.03],
    ['growth by 2 per hour', (timeS) => (2 * timeS) / 3600, 0.02],
    ['a step', (timeS) => (timeS < 400 ? 0 : -0.7), 0.006],
    ['another vial for a while', (timeS) => (timeS < 300 || timeS > 600 ? 0 : -0.5), 0.006],
    ['bubbles in one of fifteen readings', (_, index) => (index % 15 === 0 ? 0.5 : 0), 0.006],
    ['doses that the culture outgrows', (timeS) => ((timeS % 240) * 0.2) / 240, 0.006],
  ])('%s', (_, level, deviation) => {
    expect(hits((seed) => readings(level, 5, deviation, seed))).toBe(0);
  });

  it('is said of few readings', () => {
    expect(flickers(readings((_, index) => (index % 4 < 2 ? 0 : 0.4), 90))).toBe(false);
  });
});
