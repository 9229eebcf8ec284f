import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import type { FaultName } from '../vial/faults.ts';
import { noiseNamed, usualNoise } from '../vial/optics.ts';
import { Vial } from '../vial/vial.ts';
import { usualVial, type VialParameters } from '../vial/vial-parameters.ts';
import { idleInputs } from '../vial/vial-state.ts';
import { freshQuality, type QualityFlag, qualityDosed, qualityOf, signalNoise } from './signal-quality.ts';

const hourS = 3600;

interface Look {
  readonly timeS: number;
  readonly flags: readonly QualityFlag[];
}

/** What is said about a simulated vial in which something goes wrong from the second hour on, for an hour. */
function looked(fault: FaultName | undefined, more: Partial<VialParameters> = {}, seed = 1): Look[] {
  const faults = fault === undefined ? [] : [{ fault, fromS: hourS, untilS: 2 * hourS }];
  const vial = new Vial({ ...usualVial(), ...more, faults }, new SeededStream(seed), {
    volumeMl: 15,
    od: 0.3,
    reservoirMl: 1000,
  });
  vial.drive({ ...idleInputs, stirrerDuty: 30, heaterDuty: 12, leds: { ...idleInputs.leds, A: 80 } });
  const chance = new SeededStream(seed).split('readings');
  let state = freshQuality;
  let firstReference: number | undefined;
  const looks: Look[] = [];
  for (let timeS = 5; timeS < 3 * hourS; timeS += 5) {
    vial.advance(5);
    const read = (angle: '90' | 'REF') => {
      const { levelV, sampleSdV } = vial.light(angle);
      return levelV - 0.002 + (sampleSdV / Math.sqrt(40)) * chance.normal();
    };
    const reference = read('REF');
    firstReference ??= reference;
    const brightness = reference / firstReference;
    const reading = { atMs: 1000 * timeS, signal: read('90') / brightness, isSaturated: false, brightness };
    state = qualityOf(state, reading);
    looks.push({ timeS, flags: state.flags });
  }
  return looks;
}

/** When a flag was first said after the fault began, minutes; infinity if never. */
const saidAfter = (looks: readonly Look[], flag: QualityFlag): number => {
  const first = looks.find(({ timeS, flags }) => timeS >= hourS && flags.includes(flag));
  return first === undefined ? Number.POSITIVE_INFINITY : (first.timeS - hourS) / 60;
};

const shareOf = (looks: readonly Look[], fromS: number, toS: number): number => {
  const within = looks.filter(({ timeS }) => timeS >= fromS && timeS < toS);
  return within.filter(({ flags }) => flags.length > 0).length / within.length;
};

describe('signal quality of a simulated vial', () => {
  it.each(['typical', 'wandering', 'noisy'])('finds nothing where nothing is wrong: %s noise', (name) => {
    for (const seed of [1, 2, 3]) {
      const looks = looked(undefined, { noise: noiseNamed(name) ?? usualNoise }, seed);
      expect(looks.flatMap(({ flags }) => flags)).toEqual([]);
    }
  });

  it.each<[FaultName, QualityFlag, number]>([
    ['vial_removed', 'vial_out', 0.2],
    ['bubbles', 'bubbles', 5],
    ['bar_lost', 'no_stir_bar', 20],
    ['photodiode_disconnected', 'led_failing', 0.2],
    ['led_dead', 'led_failing', 0.2],
  ])('says what is wrong: %s is %s within %d minutes, and it is over when it is over', (fault, flag, minutes) => {
    for (const seed of [1, 2, 3]) {
      const looks = looked(fault, {}, seed);
      expect(saidAfter(looks, flag)).toBeLessThanOrEqual(minutes);
      expect(shareOf(looks, 0, hourS)).toBe(0);
      expect(shareOf(looks, 2 * hourS + 1200, 3 * hourS)).toBe(0);
    }
  });

  it('finds a lost bar in wandering noise too', () => {
    for (const seed of [1, 2, 3])
      expect(
        saidAfter(looked('bar_lost', { noise: noiseNamed('wandering') ?? usualNoise }, seed), 'no_stir_bar'),
      ).toBeLessThan(25);
  });
});

describe('signal quality of single readings', () => {
  const reading = { atMs: 0, signal: 0.1, isSaturated: false, brightness: 1 };

  it('passes on saturation', () => {
    expect(qualityOf(freshQuality, { ...reading, isSaturated: true }).flags).toEqual(['saturated']);
  });

  it('doubts an LED that gives far less or more light than at first', () => {
    for (const brightness of [0.6, 1.4])
      expect(qualityOf(freshQuality, { ...reading, brightness }).flags).toEqual(['led_failing']);
    for (const brightness of [0.8, 1.2, undefined])
      expect(qualityOf(freshQuality, { ...reading, brightness }).flags).toEqual([]);
  });

  const steady = (from: number, count: number, signal: (index: number) => number, start = freshQuality) => {
    let state = start;
    for (let index = 0; index < count; index += 1)
      state = qualityOf(state, {
        ...reading,
        atMs: 5000 * (from + index),
        signal: signal(index) * (1 + 0.005 * ((index % 3) - 1)),
      });
    return state;
  };

  it('knows that a dose thins the culture, and is surprised where nobody told of one', () => {
    const before = steady(0, 100, () => 1);
    const told = qualityDosed(before, { volumeMl: 4, addedMl: 12 });
    expect(steady(100, 10, () => 0.25, told).flags).toEqual([]);
    expect(steady(100, 10, () => 0.25, before).flags).toEqual(['vial_out']);
    // After half an hour it is what is there now.
    expect(steady(110, 500, () => 0.25, before).flags).toEqual([]);
  });

  it('takes one step for a step, not for settling', () => {
    expect(
      steady(
        100,
        100,
        () => 0.8,
        steady(0, 200, () => 1),
      ).flags,
    ).toEqual([]);
  });

  it('tells the noise of the last readings', () => {
    expect(signalNoise(steady(0, 10, () => 1))).toBeNull();
    expect(signalNoise(steady(0, 100, () => 1))).toBeCloseTo(0.0074, 3);
  });
});
