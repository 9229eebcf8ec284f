import { defaultThermal } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { cornerVials, type HeatRun, heatRun } from '../testing/heat-run.ts';

/** As the thermostat heats: 100 s of each 200 s. */
const inCycles = (percent: number) => (atS: number) => (atS % 200 < 100 ? percent : 0);
const always = (percent: number) => () => percent;

const usual = { thermal: defaultThermal, volumeMl: 15, roomC: () => 22, seed: 1 } as const;
const detached: Partial<HeatRun> = { sensorC: (_atS, _boardC, roomC) => roomC };

describe('a heater whose sensor measures the room', () => {
  it.each([
    ['in cycles', 8, inCycles(8), 601],
    ['in cycles', 12, inCycles(12), 601],
    ['in cycles', 20, inCycles(20), 601],
    ['in cycles', 46, inCycles(46), 601],
    ['in cycles', 100, inCycles(100), 601],
    ['without a pause', 8, always(8), 450],
    ['without a pause', 12, always(12), 450],
    ['without a pause', 46, always(46), 330],
    ['without a pause', 100, always(100), 330],
  ] as const)('is off %s at %i %%', (_how, _percent, duty, atMostS) => {
    const { detachedS, hottestLiquidC } = heatRun({ ...usual, ...detached, duty, forS: 1200 });
    expect(detachedS).toBeLessThanOrEqual(atMostS);
    expect(hottestLiquidC).toBeLessThan(30);
  });

  it.each([8, 12, 20, 46])('is found when it came off after an hour at %i %%, with pauses or without', (percent) => {
    const fromS = 3600;
    const sensorC: HeatRun['sensorC'] = (atS, boardC, roomC) => (atS < fromS ? boardC : roomC);
    for (const duty of [inCycles(percent), always(percent)]) {
      const { detachedS = Number.NaN } = heatRun({ ...usual, sensorC, duty, forS: fromS + 1200 });
      expect(detachedS - fromS).toBeLessThanOrEqual(801);
    }
  });

  it('is found when it is stuck at the temperature of a warm board', () => {
    const { detachedS } = heatRun({ ...usual, duty: inCycles(12), sensorC: () => 41.5, forS: 1200 });
    expect(detachedS).toBeLessThanOrEqual(601);
  });
});

describe('a heater with a sensor', () => {
  const doorS = 1805;
  const hardCases: Readonly<Record<string, Partial<HeatRun>>> = {
    'a steady room': {},
    'a room that becomes 10 °C colder at once': { roomC: (atS) => (atS < doorS ? 32 : 22) },
    'a room that becomes 10 °C colder as the heat begins': { roomC: (atS) => (atS < 1 ? 32 : 22) },
    'cold medium again and again in a room that becomes colder': {
      roomC: (atS) => (atS < doorS ? 32 : 22),
      coldMl: (atS) => (atS > doorS && atS % 600 === 5 ? 1 : 0),
    },
    'an open lid': { draught: (atS) => (atS > doorS && atS < doorS + 600 ? 1.5 : 1) },
  };
  /** Each ninth of the corners: 27 vials in which all parameters have all their values. */
  const vials = cornerVials().filter((_vial, index) => (index * 4) % 9 === Math.floor(index / 27) % 9);

  it.each(Object.entries(hardCases))('continues in vials off by ±50 %% in %s', (_name, hard) => {
    expect(vials.length).toBeGreaterThan(20);
    for (const [index, thermal] of vials.entries())
      for (const duty of [inCycles(8), always(8), inCycles(46)]) {
        const run = heatRun({ ...usual, ...hard, thermal, duty, forS: 3600, seed: index });
        expect([index, run.detachedS]).toEqual([index, undefined]);
      }
  });

  it('that always heats is paused for at most 80 s when its room becomes 10 °C colder, and never in a steady room', () => {
    const colder = heatRun({
      ...usual,
      ...hardCases['a room that becomes 10 °C colder at once'],
      duty: always(8),
      forS: 5400,
    });
    expect(colder.pausedS).toBeGreaterThan(0);
    expect(colder.pausedS).toBeLessThanOrEqual(80);
    expect(heatRun({ ...usual, duty: always(8), forS: 5400 }).pausedS).toBe(0);
  });
});
