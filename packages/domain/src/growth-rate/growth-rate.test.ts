import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { freshPlainFilter, plainStep } from '../testing/plain-growth-filter.ts';
import { currentEstimate } from './filter-reading.ts';
import { applyDilution, observe } from './growth-rate-filter.ts';
import { defaultGrowthRateParameters } from './growth-rate-parameters.ts';
import { type GrowthRateState, initialGrowthRateState } from './growth-rate-state.ts';
import { StuckSensorError } from './warm-up.ts';

const startMs = Date.UTC(2026, 0, 1);
const hour = 3600;

interface Point {
  readonly timeS: number;
  readonly rate: number;
  readonly truth: number;
  readonly normalizedOd: number;
  readonly rateSd: number;
  readonly flags: readonly string[];
}

interface Course {
  readonly seed: number;
  readonly untilS: number;
  readonly intervalS?: (timeS: number) => number;
  readonly rate: (timeS: number) => number;
  readonly noise?: number;
  /** Share of the noise's variance that wanders and dies away within a minute. */
  readonly slowShare?: number;
  /** ln OD moved from outside at a time; announced to the filter or not. */
  readonly dose?: { readonly atS: number; readonly shift: number; readonly announced: boolean };
  readonly wild?: (index: number) => number;
  readonly skip?: (timeS: number) => boolean;
}

/** Runs the filter over a made-up culture and gives what it said beside the truth. */
function followed(course: Course, through = (state: GrowthRateState): GrowthRateState => state): Point[] {
  const { intervalS = () => 5, noise = 0.0056, slowShare = 0 } = course;
  const random = new SeededStream(course.seed).split('noise');
  const slow = new SeededStream(course.seed).split('slow noise');
  let wander = slow.normal();
  const points: Point[] = [];
  let state = initialGrowthRateState();
  let [level, isDosed, index] = [Math.log(0.1), false, 0];
  for (let timeS = 0; timeS < course.untilS; timeS += intervalS(timeS)) {
    const truth = course.rate(timeS);
    level += (truth * intervalS(timeS)) / hour;
    const { dose } = course;
    if (dose !== undefined && !isDosed && timeS >= dose.atS) {
      isDosed = true;
      level += dose.shift;
      const addedMl = 10 * (Math.exp(-dose.shift) - 1);
      if (dose.announced) state = applyDilution(state, defaultGrowthRateParameters, { volumeMl: 10, addedMl });
    }
    index += 1;
    const stays = Math.exp(-intervalS(timeS) / 60);
    wander = stays * wander + Math.sqrt(1 - stays ** 2) * slow.normal();
    const deviations = Math.sqrt(1 - slowShare) * random.normal() + Math.sqrt(slowShare) * wander;
    const od = Math.exp(level) * (1 + noise * deviations) * (course.wild?.(index) ?? 1);
    if (course.skip?.(timeS)) continue;
    const step = observe(through(state), defaultGrowthRateParameters, {
      atMs: startMs + 1000 * timeS,
      ods: { '2': od },
    });
    state = step.state;
    if (step.ok) points.push({ timeS, truth, ...step.estimate });
  }
  return points;
}

const rmse = (points: readonly Point[]): number =>
  Math.sqrt(points.reduce((sum, { rate, truth }) => sum + (rate - truth) ** 2, 0) / points.length);

const between = (points: readonly Point[], fromS: number, toS: number): Point[] =>
  points.filter(({ timeS }) => timeS >= fromS && timeS < toS);

const seeds = [1, 2, 3, 4];

describe('the growth rate of a steadily growing culture', () => {
  it.each([
    [5, 0.0056, 0.5],
    [5, 0.0114, 0.5],
    [60, 0.0056, 0.5],
    [5, 0.0056, 0],
    [5, 0.0056, 1.5],
  ])('is within 0.02 per hour: every %d s, noise %d, rate %d', (interval, noise, rate) => {
    for (const seed of seeds) {
      const course = { seed, untilS: 4 * hour, intervalS: () => interval, rate: () => rate, noise };
      expect(rmse(between(followed(course), hour, 4 * hour))).toBeLessThanOrEqual(0.02);
    }
  });

  it.each([5, 60])('is within 0.02 per hour when one percent of noise wanders slowly: every %d s', (interval) => {
    for (const seed of seeds) {
      const course = {
        seed,
        untilS: 8 * hour,
        intervalS: () => interval,
        rate: () => 0.4,
        noise: 0.01,
        slowShare: 0.9,
      };
      expect(rmse(between(followed(course), hour, 8 * hour))).toBeLessThanOrEqual(0.02);
    }
  });

  it('tracks the end of growth within twenty minutes in correlated noise too', () => {
    for (const seed of seeds) {
      const rate = (timeS: number) => (timeS < 2 * hour ? 0.8 : 0);
      const points = followed({ seed, untilS: 3 * hour, rate, noise: 0.01, slowShare: 0.9 });
      expect(between(points, 2 * hour + 1200, 3 * hour).every((point) => point.rate < 0.4)).toBe(true);
    }
  });

  it('reports an uncertainty that covers the true rate', () => {
    const points = seeds.flatMap((seed) =>
      between(followed({ seed, untilS: 6 * hour, rate: () => 0.4 }), hour, 6 * hour),
    );
    const covered = points.filter(({ rate, truth, rateSd }) => Math.abs(rate - truth) <= 2 * rateSd).length;
    expect(covered / points.length).toBeGreaterThan(0.9);
  });

  it('starts normalised OD at one', () => {
    const [first] = followed({ seed: 1, untilS: 120, rate: () => 0 });
    expect(first?.normalizedOd).toBeCloseTo(1, 1);
  });
});

describe('the growth rate through disturbances', () => {
  const steady = { seed: 5, untilS: 4 * hour, rate: () => 0.4 };

  it('hardly reacts to single outliers, and flags them', () => {
    const points = followed({ ...steady, wild: (index) => (index % 200 === 0 ? 1.5 : 1) });
    expect(rmse(between(points, hour, 4 * hour))).toBeLessThanOrEqual(0.02);
    const wild = points.filter(({ flags }) => flags.includes('outlier'));
    expect(wild.length).toBeGreaterThanOrEqual(13);
    expect(wild.length).toBeLessThan(25);
  });

  it('continues at once after a dose that the ledger reports', () => {
    const points = followed({ ...steady, dose: { atS: 2 * hour, shift: -0.1, announced: true } });
    expect(rmse(between(points, 2 * hour, 4 * hour))).toBeLessThanOrEqual(0.02);
    const after = between(points, 2 * hour, 2 * hour + 60);
    expect(after.filter(({ flags }) => flags.includes('outlier'))).toEqual([]);
  });

  it('recovers after a dilution without a reported dose', () => {
    const points = followed({ ...steady, dose: { atS: 2 * hour, shift: -0.5, announced: false } });
    expect(points.some(({ flags }) => flags.includes('step'))).toBe(true);
    expect(rmse(between(points, 2 * hour + 600, 4 * hour))).toBeLessThanOrEqual(0.02);
    const truth = (0.4 * 3 - 0.5) as number;
    expect(Math.log(between(points, 3 * hour, 3 * hour + 5)[0]?.normalizedOd ?? 0)).toBeCloseTo(truth, 1);
  });

  it('continues after two hours without readings', () => {
    const points = followed({ ...steady, untilS: 6 * hour, skip: (timeS) => timeS > 2 * hour && timeS < 4 * hour });
    expect(points.some(({ flags }) => flags.includes('gap'))).toBe(true);
    expect(rmse(between(points, 4.5 * hour, 6 * hour))).toBeLessThanOrEqual(0.02);
  });

  it('tolerates a change of the sampling interval', () => {
    const intervalS = (timeS: number) => (timeS < 2 * hour ? 5 : 30);
    expect(rmse(between(followed({ ...steady, intervalS }), hour, 4 * hour))).toBeLessThanOrEqual(0.02);
  });

  it('is unchanged when its state is serialised to JSON after each reading', () => {
    const restarted = followed({ ...steady, untilS: 900 }, (state) => JSON.parse(JSON.stringify(state)));
    expect(restarted).toEqual(followed({ ...steady, untilS: 900 }));
  });
});

describe('readings that cannot be used', () => {
  const reading = (second: number, od: number) => ({ atMs: startMs + 1000 * second, ods: { '2': od } });

  it('are rejected with the reason', () => {
    const first = observe(initialGrowthRateState(), defaultGrowthRateParameters, reading(0, 0.1));
    expect(first).toMatchObject({ ok: false, unused: 'warming_up' });
    expect(observe(first.state, defaultGrowthRateParameters, reading(0, 0.1))).toMatchObject({ unused: 'not_later' });
    expect(observe(first.state, defaultGrowthRateParameters, reading(5, Number.NaN))).toMatchObject({
      unused: 'not_finite',
    });
    let { state } = first;
    for (let second = 5; second < 60; second += 5)
      ({ state } = observe(state, defaultGrowthRateParameters, reading(second, 0.1 + second * 1e-5)));
    for (const od of [0, -1])
      expect(observe(state, defaultGrowthRateParameters, reading(60, od))).toMatchObject({ unused: 'not_positive' });
  });

  it('detect a stuck sensor', () => {
    let state = initialGrowthRateState();
    expect(() => {
      for (let second = 0; second < 60; second += 5)
        state = observe(state, defaultGrowthRateParameters, reading(second, 0.1)).state;
    }).toThrow(StuckSensorError);
  });

  it('are discarded when a dose falls into the warm-up', () => {
    const { state } = observe(initialGrowthRateState(), defaultGrowthRateParameters, reading(0, 0.1));
    expect(applyDilution(state, defaultGrowthRateParameters, { volumeMl: 14, addedMl: 1 }).waiting).toEqual([]);
  });

  it('treat a dose in parts as one dose', () => {
    let state = initialGrowthRateState();
    for (let index = 0; index < 40; index += 1)
      state = observe(state, defaultGrowthRateParameters, reading(5 * index, index % 2 === 0 ? 0.1 : 0.1005)).state;
    const estimateOf = ({ running }: GrowthRateState) => running && currentEstimate(running);
    const whole = estimateOf(applyDilution(state, defaultGrowthRateParameters, { volumeMl: 15, addedMl: 1 }));
    let parts = state;
    for (let part = 0; part < 20; part += 1)
      parts = applyDilution(parts, defaultGrowthRateParameters, { volumeMl: 15 + part / 20, addedMl: 0.05 });
    expect(whole?.level).toBeLessThan(0);
    expect(estimateOf(parts)?.level).toBeCloseTo(whole?.level ?? 0, 9);
    for (const index of [0, 6, 20] as const)
      expect(estimateOf(parts)?.covariance[index]).toBeCloseTo(whole?.covariance[index] ?? 0, 9);
  });

  it('use the reference OD of an earlier run', () => {
    let state = initialGrowthRateState({ '2': 0.05 });
    let normalizedOd = 0;
    for (let index = 0; index < 15; index += 1) {
      const step = observe(state, defaultGrowthRateParameters, reading(5 * index, index % 2 === 0 ? 0.1 : 0.1005));
      state = step.state;
      if (step.ok) normalizedOd = step.estimate.normalizedOd;
    }
    expect(normalizedOd).toBeCloseTo(2, 1);
  });
});

describe('against a plain Kalman filter with the same noise', () => {
  it('matches the stored course of the plain filter', () => {
    let filter = freshPlainFilter([0.1, 0.1002, 0.0998, 0.1003, 0.1001, 0.0999, 0.1004, 0.1002, 0.1005, 0.1003]);
    const levels = [0.1006, 0.1007, 0.1005, 0.13, 0.1009].map((od) => {
      filter = plainStep(filter, od);
      return filter.estimate.level;
    });
    expect(levels[0]).toBeCloseTo(0.00389725, 6);
    expect(levels[3]).toBeCloseTo(0.00712632, 6);
    expect(levels[4]).toBeCloseTo(0.00708611, 6);
  });

  /** Minutes after the end of growth until the rate is below half of what it was; infinity if never. */
  const lagMinutes = (points: readonly { timeS: number; rate: number }[], stopS: number, rate: number): number =>
    ((points.find((point) => point.timeS >= stopS && point.rate < rate / 2)?.timeS ?? Number.POSITIVE_INFINITY) -
      stopS) /
    60;

  it.each([0.4, 0.8])('follows the end of growth at %d per hour sooner', (rate) => {
    for (const seed of seeds) {
      const stopS = 2 * hour;
      const course = { seed, untilS: 5 * hour, rate: (timeS: number) => (timeS < stopS ? rate : 0) };
      const random = new SeededStream(seed).split('noise');
      let level = Math.log(0.1);
      const plain: { timeS: number; rate: number }[] = [];
      const ods: number[] = [];
      for (let timeS = 0; timeS < course.untilS; timeS += 5) {
        level += (course.rate(timeS) * 5) / hour;
        ods.push(Math.exp(level) * (1 + 0.0056 * random.normal()));
      }
      let filter = freshPlainFilter(ods.slice(0, 10));
      ods.slice(10).forEach((od, index) => {
        filter = plainStep(filter, od);
        plain.push({ timeS: 5 * (index + 10), rate: filter.estimate.rate });
      });
      const ours = lagMinutes(followed(course), stopS, rate);
      expect(ours).toBeLessThan(15);
      expect(ours).toBeLessThan(lagMinutes(plain, stopS, rate));
    }
  });
});
