import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { exponentialAverage } from './exponential-average.ts';
import { fitMainsHum, mainsFrequency, type Sample, trimmedLevel } from './hum-regression.ts';
import {
  defaultOversampling,
  levelDistribution,
  levelGains,
  oversamplingFor,
  type SteadySignal,
  sampleSignal,
  slotTimes,
  slotWaitS,
} from './oversampling.ts';
import { inputLevel, recommendedIntensity, smoothOd } from './reading-rules.ts';
import { initialReferenceState, ReferenceDarkError, type ReferenceState, trackReference } from './reference-tracker.ts';

/** A hum of 60 Hz with every seventh conversion three counts too high. */
function hummingSamples(): Sample[] {
  return slotTimes(defaultOversampling, 0.002).map((timeS, index) => ({
    timeS,
    value: 1000 + 20 * Math.sin(2 * Math.PI * 60 * timeS + 0.7) + (index % 7 === 0 ? 3 : 0),
  }));
}

describe('exponentialAverage', () => {
  it('weighs the past', () => {
    const first = exponentialAverage(0.75, null, 1);
    const second = exponentialAverage(0.75, first, 2);
    expect([first, second, exponentialAverage(0.75, second, 2)]).toEqual([1, 1.25, 1.4375]);
  });
});

describe('fitHum', () => {
  it('finds level, amplitude and phase of a hum', () => {
    const fit = fitMainsHum(hummingSamples(), 60);
    expect(fit.level).toBeCloseTo(1000.38157, 4);
    expect(fit.amplitude).toBeCloseTo(20.16915, 4);
    expect(fit.phase).toBeCloseTo(0.71091, 4);
    expect(fit.aic).toBeCloseTo(5.66838, 4);
  });

  it('detects the mains frequency', () => {
    const wrong = fitMainsHum(hummingSamples(), 50);
    expect(wrong.level).toBeCloseTo(999.71912, 4);
    expect(wrong.aic).toBeCloseTo(209.42826, 4);
    expect(mainsFrequency(hummingSamples())).toBe(60);
    expect(mainsFrequency([])).toBe(60);
    const in50 = slotTimes(defaultOversampling, 0.002).map((timeS) => ({
      timeS,
      value: Math.sin(100 * Math.PI * timeS),
    }));
    expect(mainsFrequency(in50)).toBe(50);
  });

  it('uses the mean when the times do not separate hum from level', () => {
    const samples = [0, 1, 2, 3].map((second) => ({ timeS: second, value: 5 }));
    expect(fitMainsHum(samples, 60).level).toBe(5);
    expect(trimmedLevel([{ timeS: 0, value: 3 }])).toBe(3);
  });

  it('ignores one outlier', () => {
    const samples = Array.from({ length: 10 }, (_, index) => ({ timeS: index, value: index === 4 ? 1e6 : 2 }));
    expect(trimmedLevel(samples)).toBe(2);
  });
});

describe('oversampling', () => {
  it('waits unevenly and stays within its span', () => {
    const waits = Array.from({ length: 40 }, (_, round) => slotWaitS(defaultOversampling, round));
    expect(Math.min(...waits)).toBe(0);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(0.85);
    expect(new Set(waits.map((wait) => wait.toFixed(6))).size).toBe(40);
  });

  it('shortens the reading when readings are close together', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.2, max: 100, noNaN: true }), (intervalS) => {
        const plan = oversamplingFor(intervalS);
        return plan.spanS <= 0.6 * intervalS + 1e-9 && plan.rounds >= 8 && plan.rounds <= 40;
      }),
    );
    expect(oversamplingFor(5)).toEqual(defaultOversampling);
  });

  const signal = (changes: Partial<SteadySignal>): SteadySignal => ({
    levelV: 0.4,
    sampleSdV: 0.014,
    mainsAmplitudeV: 0.0023,
    mainsHz: 60,
    mainsPhase: 1,
    ...changes,
  });
  const converter = { stepV: 0, lowestV: -1, highestV: 3.3 };

  it.each([
    ['noise above hum', {}],
    ['hum as large as noise', { mainsAmplitudeV: 0.014 }],
    ['50 Hz', { mainsHz: 50, mainsPhase: 4 }],
  ])('has the mean and variance of sampled readings in closed form: %s', (_name, changes) => {
    const steady = signal(changes);
    const times = slotTimes(defaultOversampling, 0.002);
    const closed = levelDistribution(steady, levelGains(times, steady.mainsHz), converter);
    const stream = new SeededStream('oversampling');
    const count = 6_000;
    const levels = Array.from(
      { length: count },
      () =>
        fitMainsHum(
          sampleSignal(steady, times, () => stream.normal()),
          steady.mainsHz,
        ).level,
    );
    const mean = levels.reduce((sum, level) => sum + level, 0) / count;
    const variance = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / (count - 1);
    const sdV = closed?.sdV ?? 0;
    expect(Math.abs(mean - (closed?.meanV ?? 0))).toBeLessThan((4 * sdV) / Math.sqrt(count));
    // Four deviations of a variance estimated from that many numbers.
    expect(Math.abs(variance / sdV ** 2 - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
  });

  it('has no closed form where conversions are clipped', () => {
    const times = slotTimes(defaultOversampling, 0.002);
    const gains = levelGains(times, 60);
    expect(levelDistribution(signal({ levelV: 3.28 }), gains, converter)).toBeNull();
    expect(levelDistribution(signal({ levelV: 0.01 }), gains, { ...converter, lowestV: 0 })).toBeNull();
  });
});

describe('followReference', () => {
  const parameters = { normalization: 'unity', pastWeight: 0.75, intervalS: 5 } as const;

  it('gives the brightness relative to the first reading, smoothed', () => {
    const first = trackReference(initialReferenceState, parameters, 0.1);
    expect(first.brightness).toBe(1);
    expect(trackReference(first.state, parameters, 0.102).brightness).toBeCloseTo(1.005, 9);
  });

  it('divides by volts in the classic way', () => {
    expect(trackReference(initialReferenceState, { ...parameters, normalization: 'classic' }, 0.1).brightness).toBe(
      0.1,
    );
  });

  it('removes a drift of the LED from a signal', () => {
    let state: ReferenceState = initialReferenceState;
    let signal = 0;
    for (let step = 0; step <= 100; step += 1) {
      const bright = 1 - 0.0002 * step;
      const followed = trackReference(state, parameters, 0.1 * bright);
      expect(followed.unstable).toBe(false);
      state = followed.state;
      signal = (0.4 * bright) / followed.brightness;
    }
    expect(Math.abs(signal - 0.4)).toBeLessThan(0.0004);
  });

  it('holds the brightness at a jump that no LED makes, and reports it once', () => {
    const first = trackReference(initialReferenceState, parameters, 0.1);
    const jumped = trackReference(first.state, parameters, 0.12);
    expect(jumped).toMatchObject({ unstable: true, brightness: 1 });
    expect(trackReference(jumped.state, parameters, 0.12).unstable).toBe(false);
  });

  it('refuses a dark reference', () => {
    expect(() => trackReference(initialReferenceState, parameters, 0)).toThrow(ReferenceDarkError);
    expect(() => trackReference(initialReferenceState, parameters, Number.NaN)).toThrow(ReferenceDarkError);
  });
});

describe('rules of a reading', () => {
  it('classify voltages near and above the limit of the input', () => {
    expect([2.9, 3.0, 3.1, 3.2, 3.21].map(inputLevel)).toEqual([
      'fine',
      'fine',
      'near_limit',
      'near_limit',
      'over_limit',
    ]);
  });

  it('smooth an OD reversibly towards the one before, less at a longer interval', () => {
    const smoothing = { penalizer: 3, intervalS: 5 };
    const smoothed = smoothOd(smoothing, 0.2, 0.36);
    expect(smoothed).toBeCloseTo(0.3, 12);
    expect(1.6 * smoothed - 0.6 * 0.2).toBeCloseTo(0.36, 12);
    expect(smoothOd({ penalizer: 3, intervalS: 60 }, 0.2, 0.36)).toBeGreaterThan(0.35);
    expect(smoothOd(smoothing, null, 0.36)).toBe(0.36);
    expect(smoothOd({ penalizer: 3, intervalS: null }, 0.2, 0.36)).toBe(0.36);
  });

  it('recommend an intensity with headroom', () => {
    expect(recommendedIntensity(50, 0.05, 0.02)).toBe(85);
    expect(recommendedIntensity(50, 0.2, 0.02)).toBe(62.5);
    expect(recommendedIntensity(50, 0.2, 0.5)).toBe(50);
    expect(recommendedIntensity(50, 0, 0)).toBe(85);
  });
});
