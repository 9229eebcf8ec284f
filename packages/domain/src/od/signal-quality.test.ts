import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import type { FaultName } from '../vial/faults.ts';
import { defaultNoise, findNoiseProfile } from '../vial/optics.ts';
import { Vial } from '../vial/vial.ts';
import { defaultVialParameters, type VialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { compensateDose, initialQualityState, type QualityFlag, signalNoise, updateQuality } from './signal-quality.ts';

const hourS = 3600;

interface FlagsAt {
  readonly timeS: number;
  readonly flags: readonly QualityFlag[];
}

/** The flags of a simulated vial that has a fault during the second hour. */
function flagsOfVial(fault: FaultName | undefined, more: Partial<VialParameters> = {}, seed = 1): FlagsAt[] {
  const faults = fault === undefined ? [] : [{ fault, fromS: hourS, untilS: 2 * hourS }];
  const vial = new Vial({ ...defaultVialParameters(), ...more, faults }, new SeededStream(seed), {
    volumeMl: 15,
    od: 0.3,
    reservoirMl: 1000,
  });
  vial.drive({ ...idleInputs, stirrerDuty: 30, heaterDuty: 12, leds: { ...idleInputs.leds, A: 80 } });
  const noise = new SeededStream(seed).split('readings');
  let state = initialQualityState;
  let firstReference: number | undefined;
  const history: FlagsAt[] = [];
  for (let timeS = 5; timeS < 3 * hourS; timeS += 5) {
    vial.advance(5);
    const read = (angle: '90' | 'REF') => {
      const { levelV, sampleSdV } = vial.light(angle);
      return levelV - 0.002 + (sampleSdV / Math.sqrt(40)) * noise.normal();
    };
    const reference = read('REF');
    firstReference ??= reference;
    const brightness = reference / firstReference;
    const reading = { atMs: 1000 * timeS, signal: read('90') / brightness, isSaturated: false, brightness };
    state = updateQuality(state, reading);
    history.push({ timeS, flags: state.flags });
  }
  return history;
}

/** Minutes from the start of the fault to the first report of a flag; infinity: never. */
const reportedAfter = (history: readonly FlagsAt[], flag: QualityFlag): number => {
  const first = history.find(({ timeS, flags }) => timeS >= hourS && flags.includes(flag));
  return first === undefined ? Number.POSITIVE_INFINITY : (first.timeS - hourS) / 60;
};

const shareWithFlags = (history: readonly FlagsAt[], fromS: number, toS: number): number => {
  const within = history.filter(({ timeS }) => timeS >= fromS && timeS < toS);
  return within.filter(({ flags }) => flags.length > 0).length / within.length;
};

describe('signal quality of a simulated vial', () => {
  it.each(['typical', 'wandering', 'noisy'])('has no flags without a fault: %s noise', (name) => {
    for (const seed of [1, 2, 3]) {
      const history = flagsOfVial(undefined, { noise: findNoiseProfile(name) ?? defaultNoise }, seed);
      expect(history.flatMap(({ flags }) => flags)).toEqual([]);
    }
  });

  it.each<[FaultName, QualityFlag, number]>([
    ['vial_removed', 'vial_out', 0.2],
    ['bubbles', 'bubbles', 5],
    ['bar_lost', 'no_stir_bar', 20],
    ['photodiode_disconnected', 'led_failing', 0.2],
    ['led_dead', 'led_failing', 0.2],
  ])('reports %s as %s within %d minutes, and clears the flag after the fault', (fault, flag, minutes) => {
    for (const seed of [1, 2, 3]) {
      const history = flagsOfVial(fault, {}, seed);
      expect(reportedAfter(history, flag)).toBeLessThanOrEqual(minutes);
      expect(shareWithFlags(history, 0, hourS)).toBe(0);
      expect(shareWithFlags(history, 2 * hourS + 1200, 3 * hourS)).toBe(0);
    }
  });

  it('detects a lost stir bar in wandering noise too', () => {
    for (const seed of [1, 2, 3])
      expect(
        reportedAfter(
          flagsOfVial('bar_lost', { noise: findNoiseProfile('wandering') ?? defaultNoise }, seed),
          'no_stir_bar',
        ),
      ).toBeLessThan(25);
  });
});

describe('signal quality of single readings', () => {
  const reading = { atMs: 0, signal: 0.1, isSaturated: false, brightness: 1 };

  it('reports saturation', () => {
    expect(updateQuality(initialQualityState, { ...reading, isSaturated: true }).flags).toEqual(['saturated']);
  });

  it('reports an LED that gives far less or more light than at first', () => {
    for (const brightness of [0.6, 1.4])
      expect(updateQuality(initialQualityState, { ...reading, brightness }).flags).toEqual(['led_failing']);
    for (const brightness of [0.8, 1.2, undefined])
      expect(updateQuality(initialQualityState, { ...reading, brightness }).flags).toEqual([]);
  });

  const steady = (from: number, count: number, signal: (index: number) => number, start = initialQualityState) => {
    let state = start;
    for (let index = 0; index < count; index += 1)
      state = updateQuality(state, {
        ...reading,
        atMs: 5000 * (from + index),
        signal: signal(index) * (1 + 0.005 * ((index % 3) - 1)),
      });
    return state;
  };

  it('reports a sudden decrease, except after a dose that explains it', () => {
    const before = steady(0, 100, () => 1);
    const compensated = compensateDose(before, { volumeMl: 4, addedMl: 12 });
    expect(steady(100, 10, () => 0.25, compensated).flags).toEqual([]);
    expect(steady(100, 10, () => 0.25, before).flags).toEqual(['vial_out']);
    // After half an hour the decrease is accepted as the new content.
    expect(steady(110, 500, () => 0.25, before).flags).toEqual([]);
  });

  it('does not take a single step for settling', () => {
    expect(
      steady(
        100,
        100,
        () => 0.8,
        steady(0, 200, () => 1),
      ).flags,
    ).toEqual([]);
  });

  it('measures the noise of the last readings', () => {
    expect(signalNoise(steady(0, 10, () => 1))).toBeNull();
    expect(signalNoise(steady(0, 100, () => 1))).toBeCloseTo(0.0074, 3);
  });
});
