import { describe, expect, it } from 'vitest';
import { WasteProbes } from './waste-probes.ts';

const ofMl = (volumeMl: number, factor = 1) => ({ volumeMl, factor });

describe('a probe', () => {
  it('at a held density waits until it leaves the density as far below the target as it was above', () => {
    const probes = new WasteProbes();
    const more = Math.log(16.5 / 15.5);
    expect(probes.begin(0.5, ofMl(1.5), 15, Math.exp(more / 2) - 0.001)).toBe(false);
    expect(probes.takeVolumeMl()).toBe(0);
    expect(probes.begin(0.5, ofMl(1.5), 15, Math.exp(more / 2) + 0.001)).toBe(true);
    expect([probes.takeVolumeMl(), probes.takeVolumeMl()]).toEqual([1.5, 0]);
    // A strong pump lowers it further.
    expect(probes.begin(0.5, ofMl(1.5, 1.3), 15, Math.exp(more / 2) + 0.001)).toBe(false);
    // The density decides when the next exchange is due.
    expect(probes.isAhead(0.5, 15)).toBe(false);
  });

  it('at fixed intervals replaces the exchanges that it anticipates, so that the same is washed out', () => {
    const probes = new WasteProbes();
    let washedOut = 0;
    for (let exchange = 0; exchange < 300; exchange += 1) {
      if (probes.isAhead(0.5, 15)) continue;
      const isProbe = exchange % 10 === 0;
      if (isProbe) probes.begin(0.5, ofMl(1.5), 15, undefined);
      washedOut += Math.log1p((isProbe ? 1.5 : 0.5) / 15);
    }
    expect(Math.abs(washedOut / (300 * Math.log1p(0.5 / 15)) - 1)).toBeLessThan(0.01);
  });

  it('is forgotten when a person resumes the automation', () => {
    const probes = new WasteProbes();
    probes.begin(0.5, ofMl(1.5), 15, undefined);
    probes.reset();
    expect(probes.isAhead(0.5, 15)).toBe(false);
    expect(probes.takeVolumeMl()).toBe(0);
  });
});
