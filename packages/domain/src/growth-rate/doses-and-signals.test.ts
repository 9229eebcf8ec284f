import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import type { GrowthRateEstimate } from './filter-reading.ts';
import { applyDilution, expectedAt, observe } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters as parameters } from './growth-rate-parameters.ts';
import { initialGrowthRateState } from './growth-rate-state.ts';
import { GrowthSmoother } from './growth-smoother.ts';
import { isUsableForGrowth } from './usable-readings.ts';

const startMs = Date.UTC(2026, 0, 1);
const hour = 3600;

interface Course {
  readonly untilS: number;
  readonly intervalS?: number;
  readonly rate?: (timeS: number) => number;
  readonly startOd?: number;
  /** Relative noise of a reading. */
  readonly noise?: number;
  /** Noise that does not depend on OD. */
  readonly additive?: number;
  readonly background?: number;
  /** Factor on the signal; asked in order of time. */
  readonly disturbed?: (timeS: number) => number;
  /** Added to the signal. */
  readonly drift?: (timeS: number) => number;
  readonly flags?: (timeS: number) => readonly string[];
  /** Times of doses of 1 ml into 14 ml; true share of it that arrives. */
  readonly doseAtS?: (timeS: number) => boolean;
  readonly gain?: number;
  /** Share of a dose that is in the vial at the reading after its announcement; the rest is by the next. */
  readonly firstShare?: number;
}

type Point = GrowthRateEstimate & { readonly timeS: number; readonly truth: number };

/** The readings of a culture and the doses before each. */
function readingsOf(course: Course) {
  const { intervalS = 5, rate = () => 0.5, startOd = 0.1, noise = 0.005, additive = 0, background = 0 } = course;
  const { firstShare = 1 } = course;
  const chance = new SeededStream('doses and signals');
  let level = Math.log(startOd);
  let unmixed = 0;
  return Array.from({ length: Math.floor(course.untilS / intervalS) }, (_, index) => {
    const timeS = index * intervalS;
    const isDosed = course.doseAtS?.(timeS) ?? false;
    level += unmixed;
    const shift = isDosed ? Math.log(14 / (14 + (course.gain ?? 1))) : 0;
    level += shift * firstShare;
    unmixed = shift * (1 - firstShare);
    const od = (Math.exp(level) + background) * (1 + noise * chance.normal()) + additive * chance.normal();
    level += (rate(timeS) * intervalS) / hour;
    return {
      timeS,
      truth: rate(timeS),
      od: od * (course.disturbed?.(timeS) ?? 1) + (course.drift?.(timeS) ?? 0),
      isDosed,
    };
  });
}

function followed(course: Course): Point[] {
  let state = initialGrowthRateState();
  return readingsOf(course).flatMap(({ timeS, truth, od, isDosed }) => {
    if (isDosed) state = applyDilution(state, parameters, { volumeMl: 14, addedMl: 1 });
    const atMs = startMs + 1000 * timeS;
    if (!isUsableForGrowth(course.flags?.(timeS) ?? [])) {
      const expected = expectedAt(state, parameters, atMs);
      return expected === undefined ? [] : [{ timeS, truth, ...expected }];
    }
    const step = observe(state, parameters, { atMs, ods: { '2': od } });
    state = step.state;
    return step.ok ? [{ timeS, truth, ...step.estimate }] : [];
  });
}

const from = (points: readonly Point[], timeS: number): readonly Point[] =>
  points.filter((point) => point.timeS >= timeS);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const bias = (points: readonly Point[]): number => mean(points.map(({ rate, truth }) => rate - truth));
const largestError = (points: readonly Point[]): number =>
  Math.max(...points.map(({ rate, truth }) => Math.abs(rate - truth)));
const flagsOf = (points: readonly Point[]) => new Set(points.flatMap(({ flags }) => flags));

describe('doses', () => {
  const everyFiveMinutes = (timeS: number): boolean => timeS >= hour && timeS % 300 === 0;

  it('that do not arrive are flagged and ignored, whatever the interval of the readings', () => {
    for (const intervalS of [5, 30, 60]) {
      const points = followed({ untilS: 3 * hour, intervalS, doseAtS: everyFiveMinutes, gain: 0 });
      expect(largestError(from(points, hour + 600))).toBeLessThan(0.15);
      expect(flagsOf(points)).toContain('dose_unseen');
      expect(flagsOf(points.filter(({ timeS }) => timeS < hour))).not.toContain('dose_unseen');
    }
  });

  it('that arrive are not flagged', () => {
    expect(flagsOf(followed({ untilS: 3 * hour, doseAtS: everyFiveMinutes }))).not.toContain('dose_unseen');
  });

  it.each([0.7, 1.3])('of a pump that gives %d of the announced volume do not bias the rate', (gain) => {
    const points = followed({ untilS: 5 * hour, doseAtS: everyFiveMinutes, gain, rate: () => 0.7 });
    expect(Math.abs(bias(from(points, 2.5 * hour)))).toBeLessThan(0.01);
  });

  it.each([0.8, 1.2])(
    'whose pump still runs at the next reading have the rate of doses at once, at %d of them',
    (gain) => {
      const course = { untilS: 5 * hour, doseAtS: everyFiveMinutes, gain, rate: () => 0.7 };
      const biasWith = (firstShare: number): number => bias(from(followed({ ...course, firstShare }), 2.5 * hour));
      expect(Math.abs(biasWith(0) - biasWith(1))).toBeLessThan(0.002);
    },
  );
});

describe('a turbidostat', () => {
  const rate = 0.22;
  /** 1 mL of 14 mL each: holds its density from hour 2 on, at the rate of growth. */
  const holds = (timeS: number): boolean => timeS >= 2 * hour && timeS % 1130 === 0;
  /** Comes down first: 4 volumes an hour for 15 minutes. */
  const comesDown = (timeS: number): boolean => timeS >= 2 * hour && timeS < 2 * hour + 900 && timeS % 60 === 0;

  it.each([0.9, 1, 1.1])('at its density has the right rate, with pumps that give %d of a dose', (gain) => {
    const points = followed({ untilS: 8 * hour, intervalS: 10, doseAtS: holds, gain, rate: () => rate });
    const worst = largestError(from(points, 2 * hour));
    expect(worst).toBeLessThan(0.1);
  });

  it.each([0.9, 1, 1.1])('that comes down to its target has the right rate, with %d of a dose', (gain) => {
    const points = followed({ untilS: 5 * hour, intervalS: 10, doseAtS: comesDown, gain, rate: () => rate });
    expect(largestError(from(points, 2 * hour))).toBeLessThan(0.1);
  });
});

describe('disturbed signals', () => {
  it('of a lifted vial are not used: the rate stays, and its uncertainty grows', () => {
    const isOut = (timeS: number): boolean => timeS >= 2 * hour && timeS < 2 * hour + 1200;
    const points = followed({
      untilS: 4 * hour,
      disturbed: (timeS) => (isOut(timeS) ? 0.1 : 1),
      flags: (timeS) => (isOut(timeS) ? ['vial_out'] : []),
    });
    expect(largestError(from(points, 2 * hour))).toBeLessThan(0.05);
    const out = points.filter(({ timeS }) => isOut(timeS));
    expect(out).toHaveLength(240);
    expect(out.at(-1)?.rateSd).toBeGreaterThan(2 * (out[0]?.rateSd ?? 0));
  });

  it('of a thermostat that cycles are not taken for growth', () => {
    const points = followed({
      untilS: 6 * hour,
      disturbed: (timeS) => 1 + 0.005 * Math.sin((2 * Math.PI * timeS) / 1200),
    });
    expect(largestError(from(points, 1.5 * hour))).toBeLessThan(0.04);
  });

  it('that were noisy in the beginning do not make the filter slow later', () => {
    const endS = 6 * hour;
    const points = followed({
      untilS: 7 * hour,
      startOd: 0.005,
      additive: 0.0005,
      rate: (timeS) => (timeS < endS ? 0.6 : 0),
    });
    expect(from(points, endS + 8 * 60)[0]?.rate).toBeLessThan(0.3);
  });

  it('without a blank have an uncertainty that covers the background', () => {
    const points = followed({ untilS: 1.5 * hour, startOd: 0.006, background: 0.004, noise: 0.003 });
    const early = from(points, 0.75 * hour);
    expect(early.filter(({ rate, truth, rateSd }) => Math.abs(rate - truth) <= 2 * rateSd).length).toBeGreaterThan(
      0.9 * early.length,
    );
  });

  it('that change faster than any culture are flagged, and the rate is not limited', () => {
    const points = followed({ untilS: hour, rate: (timeS) => (timeS < hour / 2 ? 0.5 : 5) });
    expect(flagsOf(points.filter(({ rate }) => rate > 3))).toContain('rate_beyond_model');
    expect(Math.max(...points.map(({ rate }) => rate))).toBeGreaterThan(3);
    expect(flagsOf(points.filter(({ rate }) => rate < 3))).not.toContain('rate_beyond_model');
  });
});

describe('the reported uncertainty', () => {
  it('shrinks where the realised errors are smaller than the filter expects', () => {
    const points = followed({ untilS: 6 * hour });
    const sd = (fromS: number) =>
      mean(
        from(points, fromS)
          .slice(0, 60)
          .map(({ rateSd }) => rateSd),
      );
    expect(sd(5.5 * hour)).toBeLessThan(0.8 * sd(hour));
  });

  it.each([60, 300])('covers the truth in about two thirds of the time, with readings every %d s', (intervalS) => {
    const points = Array.from({ length: 20 }, (_, seed) => {
      const chance = new SeededStream(`rare readings ${seed}`);
      // Shocks of four deviations in 0.3 % of the time of 5 s: rare readings have them often.
      const shocks = 1 - 0.997 ** (intervalS / 5);
      const disturbed = (): number => 1 + 0.0056 * (chance.normal() + (chance.chance(shocks) ? 4 : 0));
      return from(followed({ untilS: 10 * hour, intervalS, noise: 0, disturbed }), 3 * hour);
    }).flat();
    const covered = points.filter(({ rate, truth, rateSd }) => Math.abs(rate - truth) <= rateSd);
    expect(covered.length / points.length).toBeGreaterThan(0.6);
    expect(covered.length / points.length).toBeLessThan(0.8);
  });
});

describe('jumps of the level', () => {
  /** Bursts of some two minutes, three in an hour, which raise each reading by 5 % on average. */
  function bubbles(seed: string): (timeS: number) => number {
    const chance = new SeededStream(seed);
    const exponential = (mean: number): number => -mean * Math.log(1 - chance.uniform());
    let [fromS, untilS] = [0, 0];
    return (timeS) => {
      while (timeS >= untilS) {
        fromS = untilS + exponential(1200);
        untilS = fromS + exponential(120);
      }
      return 1 + (timeS >= fromS ? exponential(0.05) : 0);
    };
  }

  it('that come and go are no errors of the rate: the uncertainty covers the truth in about two thirds of the time', () => {
    const points = Array.from({ length: 6 }, (_, seed) =>
      from(followed({ untilS: 6 * hour, disturbed: bubbles(`bubbles ${seed}`) }), hour),
    ).flat();
    const covered = points.filter(({ rate, truth, rateSd }) => Math.abs(rate - truth) <= rateSd);
    expect(covered.length / points.length).toBeGreaterThan(0.6);
    expect(covered.length / points.length).toBeLessThan(0.85);
  });

  it('that stay move the past with them: the uncertainty does not grow', () => {
    const course = { untilS: 6 * hour };
    const stepped = followed({ ...course, disturbed: (timeS) => (timeS < 4 * hour ? 1 : 0.7) });
    const sd = (points: readonly Point[]): number => mean(from(points, 4.5 * hour).map(({ rateSd }) => rateSd));
    expect(sd(stepped)).toBeLessThan(2 * sd(followed(course)));
  });
});

describe('the smoother', () => {
  it('finds a change of the rate when it happened, and not later', () => {
    const changeS = 2 * hour;
    const rate = (timeS: number): number => (timeS < changeS ? 0.6 : 0.1);
    const course = { untilS: 4 * hour, rate, noise: 0.01 };
    const smoother = new GrowthSmoother(parameters);
    for (const { timeS, od } of readingsOf(course))
      smoother.take({ atMs: startMs + 1000 * timeS, ods: { '2': od }, isUsable: true });
    const smoothed = [...smoother.smoothed(500)].flat().toReversed();
    expect(smoothed).toHaveLength(4 * 720);
    const error = (points: readonly GrowthRateEstimate[]): number =>
      Math.sqrt(mean(points.map((point) => (point.rate - rate((point.atMs - startMs) / 1000)) ** 2)));
    const after = <Timed extends { readonly atMs: number }>(points: readonly Timed[]): readonly Timed[] =>
      points.filter(({ atMs }) => atMs >= startMs + 1000 * hour);
    expect(error(after(smoothed))).toBeLessThan(0.6 * error(after(followed(course))));
    expect(smoothed.find(({ rate: found }) => found < 0.35)?.atMs).toBeGreaterThan(startMs + 1000 * (changeS - 600));
  });

  it('knows doses on the way back, too', () => {
    const smoother = new GrowthSmoother(parameters);
    const doseAtS = (timeS: number): boolean => timeS >= hour && timeS % 600 === 0;
    for (const { timeS, od, isDosed } of readingsOf({ untilS: 4 * hour, doseAtS })) {
      const atMs = startMs + 1000 * timeS;
      if (isDosed) smoother.dose({ atMs, volumeMl: 14, addedMl: 1 });
      smoother.take({ atMs, ods: { '2': od }, isUsable: true });
    }
    const smoothed = [...smoother.smoothed(1000)].flat();
    const late = smoothed.filter(({ atMs }) => atMs > startMs + 1.5 * 1000 * hour);
    expect(Math.abs(mean(late.map(({ rate }) => rate)) - 0.5)).toBeLessThan(0.02);
  });
});

describe('noise that is slow', () => {
  /** A first-order process of 0.5 % with a time constant of ten minutes. */
  function tenMinuteNoise(seed: string): (timeS: number) => number {
    const chance = new SeededStream(seed);
    const stays = Math.exp(-5 / 600);
    let value = chance.normal();
    return () => {
      value = stays * value + Math.sqrt(1 - stays ** 2) * chance.normal();
      return 1 + 0.005 * value;
    };
  }

  it('is not followed by the rate', () => {
    const errors = ['a', 'b', 'c', 'd'].map((seed) => {
      const settled = from(followed({ untilS: 6 * hour, disturbed: tenMinuteNoise(seed) }), hour);
      return Math.sqrt(mean(settled.map(({ rate, truth }) => (rate - truth) ** 2)));
    });
    expect(mean(errors)).toBeLessThan(0.0115);
  });

  it('of the background of a thin culture is not taken for growth', () => {
    const points = followed({
      untilS: 12 * hour,
      intervalS: 50,
      startOd: 0.15,
      additive: 0.05,
      rate: () => 0,
      drift: (timeS) => 0.03 * Math.sin((2 * Math.PI * timeS) / (5 * hour)),
    });
    expect(Math.max(...points.map(({ rate }) => rate))).toBeLessThan(0.15);
  });
});
