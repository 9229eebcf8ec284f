import { describe, expect, it } from 'vitest';
import { naturalLog } from './natural-log.ts';
import { SeededStream } from './seeded-stream.ts';

const drawn = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);

describe('SeededStream', () => {
  it('gives the published first numbers of xoshiro128** from the state 1, 2, 3, 4', () => {
    const stream = SeededStream.from({ name: 'reference', words: [1, 2, 3, 4], spareNormal: null });
    expect(drawn(4, () => stream.bits())).toEqual([11520, 0, 5927040, 70819200]);
  });

  it('gives the same numbers for the same seed in every version', () => {
    const stream = new SeededStream(42).split('optics');
    expect(drawn(3, () => stream.bits())).toEqual([3611623469, 4016422728, 4078263891]);
    expect(drawn(3, () => stream.normal())).toEqual([-0.7021909935704148, -0.2897493182026737, 0.3020047514310185]);
  });

  it('splits by name, independent of earlier draws', () => {
    const fresh = new SeededStream(7);
    const used = new SeededStream(7);
    drawn(100, () => used.uniform());
    expect(used.split('pumps').uniform()).toBe(fresh.split('pumps').uniform());
    expect(fresh.split('pumps').uniform()).not.toBe(fresh.split('optics').uniform());
    expect(new SeededStream(8).split('pumps').uniform()).not.toBe(fresh.split('pumps').uniform());
  });

  it('continues from its state as JSON, also within a pair of normals', () => {
    const stream = new SeededStream('a');
    stream.normal();
    const copy = SeededStream.from(JSON.parse(JSON.stringify(stream.state())));
    expect(drawn(5, () => copy.normal())).toEqual(drawn(5, () => stream.normal()));
  });

  it('is uniform and normal in its first moments', () => {
    const stream = new SeededStream(1);
    const count = 50_000;
    const uniforms = drawn(count, () => stream.uniform());
    const normals = drawn(count, () => stream.normal());
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.min(...uniforms)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...uniforms)).toBeLessThan(1);
    expect(mean(uniforms)).toBeCloseTo(0.5, 2);
    expect(Math.abs(mean(normals))).toBeLessThan(4 / Math.sqrt(count));
    expect(mean(normals.map((value) => value * value))).toBeCloseTo(1, 1);
    expect(mean(normals.map((value) => value ** 4))).toBeCloseTo(3, 0);
    const neighbours = mean(normals.slice(1).map((value, index) => value * (normals[index] ?? 0)));
    expect(Math.abs(neighbours)).toBeLessThan(4 / Math.sqrt(count));
  });
});

describe('naturalLog', () => {
  it('agrees with the logarithm of the machine', () => {
    for (const x of [1e-300, 1e-9, 0.2, 0.705, 1, 1.417, 2, 10, 12345.678, 1e300]) {
      expect(Math.abs(naturalLog(x) - Math.log(x))).toBeLessThanOrEqual(1e-14 * Math.max(1, Math.abs(Math.log(x))));
    }
  });
});
