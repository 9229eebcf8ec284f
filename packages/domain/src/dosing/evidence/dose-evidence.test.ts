import { describe, expect, it } from 'vitest';
import { SeededStream } from '../../random/seeded-stream.ts';
import {
  type DoseEvidence,
  densityByDoses,
  disturbanceOf,
  evidenceStep,
  isUnverified,
  noEvidence,
  pumpDeviation,
} from './dose-evidence.ts';
import { noiseOf } from './reading-noise.ts';
import { wasteCheck } from './waste-check.ts';

interface Culture {
  readonly readingEveryS: number;
  readonly doseEveryS: number;
  readonly doseMl: number;
  readonly growth: number;
  readonly noise: number;
  /** Effect of dose n. */
  readonly effect: (dose: number) => number;
  readonly doses: number;
  readonly seed?: string;
  /** Relative disturbance of a reading. */
  readonly disturbance?: (atS: number) => number;
  /** It has used up its medium: it grows only until it has regained what a dose that arrived has taken. */
  readonly isLimited?: boolean;
}

/** A culture in 15 ml with doses of medium, from which the readings come. */
function observed(culture: Culture) {
  const {
    readingEveryS,
    doseEveryS,
    doseMl,
    growth,
    noise,
    effect,
    doses,
    seed = 'a',
    disturbance = () => 0,
    isLimited = false,
  } = culture;
  const random = new SeededStream(seed);
  let evidence: DoseEvidence = { ...noEvidence, mayBeLimited: isLimited };
  let [logDensity, food] = [0, 0];
  let [dose, deviates] = [0, false];
  for (let atS = 0; atS < (doses + 1) * doseEveryS; atS += 1) {
    const hours = atS / 3600;
    const grown = isLimited ? Math.min(food, growth / 3600) : growth / 3600;
    food -= grown;
    logDensity += grown;
    if (atS % readingEveryS === 0) {
      const read = logDensity + noise * random.normal() + Math.log1p(disturbance(atS));
      evidence = evidenceStep(evidence, { kind: 'reading', hours, logDensity: read });
      deviates ||= pumpDeviation(evidence, 'media') !== undefined;
    }
    const found = disturbanceOf(evidence);
    if (found !== undefined) return { evidence, found, dose, deviates };
    if (atS === 0 || atS % doseEveryS !== 0 || dose === doses) continue;
    dose += 1;
    const shift = effect(dose) * Math.log1p(doseMl / 15);
    logDensity -= shift;
    food += shift;
    const given = { pump: 'media', volumeMl: 15, addedMl: doseMl, drains: true, capacityMl: 20 } as const;
    evidence = evidenceStep(evidence, { kind: 'dose', hours, dose, ...given });
  }
  return { evidence, found: undefined, dose, deviates };
}

const culture: Culture = {
  readingEveryS: 5,
  doseEveryS: 330,
  doseMl: 1,
  growth: 0.7,
  noise: 0.0056,
  effect: () => 1,
  doses: 30,
};

describe('doses that arrive', () => {
  it.each([
    [5, 0.0056],
    [30, 0.0056],
    [60, 0.0114],
    [120, 0.0114],
  ])('are not reported, with readings every %d s and a noise of %d', (readingEveryS, noise) => {
    for (let seed = 0; seed < 5; seed += 1)
      expect(observed({ ...culture, readingEveryS, noise, seed: `${seed}`, doses: 60 }).found).toBeUndefined();
  });

  it.each([
    [5, 1],
    [30, 1],
    [5, 0.5],
  ])(
    'are not reported although their standard deviation is 0.08, with readings every %d s and doses of %d ml',
    (readingEveryS, doseMl) => {
      for (let seed = 0; seed < 8; seed += 1) {
        const scatter = new SeededStream(`doses ${seed}`);
        const effect = (): number => 1 + 0.08 * scatter.normal();
        const course = { ...culture, readingEveryS, doseMl, doses: 60, seed: `${seed}`, effect };
        expect(['missing', 'irregular']).not.toContain(observed(course).found?.disturbance);
      }
    },
  );

  const falselyReported = (course: (seed: number) => Partial<Culture>): number => {
    let count = 0;
    for (let seed = 0; seed < 12; seed += 1) {
      const { found } = observed({ ...culture, readingEveryS: 60, doses: 150, seed: `${seed}`, ...course(seed) });
      if (found?.disturbance === 'missing' || found?.disturbance === 'irregular') count += 1;
    }
    return count;
  };

  it('are hardly reported although most scatter by 0.09, and 3 % of them by 0.27', () => {
    const count = falselyReported((seed) => {
      const scatter = new SeededStream(`rare doses ${seed}`);
      return { effect: () => 1 + 0.09 * (scatter.chance(0.03) ? 3 : 1) * scatter.normal() };
    });
    expect(count).toBeLessThanOrEqual(1);
  });

  it('are hardly reported in bursts of bubbles of some two minutes every other hour', () => {
    const count = falselyReported((seed) => {
      const bubbles = new SeededStream(`bubbles ${seed}`);
      const exponential = (mean: number): number => -mean * Math.log(1 - bubbles.uniform());
      let [fromS, untilS] = [0, 0];
      const disturbance = (atS: number): number => {
        while (atS >= untilS) {
          fromS = untilS + exponential(7200);
          untilS = fromS + exponential(120);
        }
        return atS >= fromS ? exponential(0.05) : 0;
      };
      return { disturbance };
    });
    expect(count).toBeLessThanOrEqual(1);
  });

  it.each([0.7, 1.3])('of a pump whose flow is %d times its calibration are reported as such', (factor) => {
    const { evidence, found } = observed({ ...culture, effect: () => factor });
    expect(found).toBeUndefined();
    const reported = pumpDeviation(evidence, 'media');
    expect(reported).toBeGreaterThan(factor - 0.1);
    expect(reported).toBeLessThan(factor + 0.1);
    expect(pumpDeviation(evidence, 'media', reported)).toBeUndefined();
  });

  const muchMore = [2, 3, 5].flatMap((factor) => [5, 30, 120].map((everyS) => [factor, everyS] as const));
  it.each(muchMore)(
    'of a pump whose flow is %d times its calibration are reported as such within twelve, with readings every %d s: at a factor that far nothing explains the first ones',
    (factor, readingEveryS) => {
      for (const doseMl of [0.5, 1]) {
        const course = { ...culture, doseMl, doseEveryS: 1200, growth: 0.15, readingEveryS, doses: 12 };
        const { evidence, found, deviates } = observed({ ...course, effect: () => factor });
        expect({ found, deviates }).toEqual({ found: undefined, deviates: true });
        const reported = pumpDeviation(evidence, 'media') ?? 0;
        expect(Math.abs(reported / factor - 1)).toBeLessThan(0.12);
      }
    },
  );
});

describe('doses that do not arrive', () => {
  it.each([5, 30, 60, 120])('are found within three, with readings every %d s', (readingEveryS) => {
    const missingFrom = 12;
    const { found, dose } = observed({
      ...culture,
      readingEveryS,
      doses: 20,
      effect: (number) => (number < missingFrom ? 1 : 0),
    });
    expect(found).toMatchObject({ disturbance: 'missing', pump: 'media', sinceDose: missingFrom });
    expect(dose - missingFrom).toBeLessThan(3);
  });

  it('are found from the first one on, without any history', () => {
    const { found } = observed({ ...culture, effect: () => 0 });
    expect(found).toMatchObject({ disturbance: 'missing', sinceDose: 1 });
  });

  it('are not excused by growth: it cannot begin with a dose', () => {
    const { found } = observed({ ...culture, growth: 0.05, effect: (number) => (number < 5 ? 1 : 0) });
    expect(found).toMatchObject({ disturbance: 'missing', sinceDose: 5 });
  });

  it('in part are found as irregular, with their share', () => {
    const { found } = observed({ ...culture, effect: (number) => (number < 12 ? 1 : 0.4) });
    expect(found).toMatchObject({ disturbance: 'irregular', pump: 'media' });
    expect(Math.abs((found?.factor ?? 0) - 0.4)).toBeLessThan(0.2);
  });
});

describe('a culture that has used up its medium and grows with what each dose brings', () => {
  const limited: Culture = { ...culture, isLimited: true, doseEveryS: 1205, doseMl: 0.5, growth: 0.8, doses: 60 };

  it.each([5, 30, 60, 120])(
    'shows no missing dose, and no pump of another flow, with readings every %d s',
    (everyS) => {
      for (let seed = 0; seed < 5; seed += 1) {
        const { found, deviates } = observed({ ...limited, readingEveryS: everyS, seed: `${seed}` });
        expect({ found, deviates }).toEqual({ found: undefined, deviates: false });
      }
    },
  );

  it('does not show whether waste leaves', () => {
    const { evidence } = observed({ ...limited, readingEveryS: 30 });
    const next = { exchangeMl: 0.5, volumeMl: 15, capacityMl: 20 };
    expect(wasteCheck(evidence, next)).toEqual({ kind: 'unverifiable' });
  });

  it.each([5, 30])('shows doses that do not arrive within six, with readings every %d s', (readingEveryS) => {
    const effect = (number: number): number => (number < 30 ? 1 : 0);
    const { found, dose } = observed({ ...limited, readingEveryS, effect });
    expect(found).toMatchObject({ disturbance: 'missing', pump: 'media' });
    expect(dose).toBeGreaterThanOrEqual(30);
    expect(dose).toBeLessThan(36);
  });
});

it('a density that a person changes is followed after a few readings, and proves nothing about doses', () => {
  let { evidence } = observed(culture);
  const from = evidence.atHours;
  for (let reading = 1; reading <= 20; reading += 1) {
    evidence = evidenceStep(evidence, { kind: 'reading', hours: from + (5 * reading) / 3600, logDensity: 2 });
    expect(disturbanceOf(evidence)).toBeUndefined();
    if (reading < 4) expect(densityByDoses(evidence)).toBeLessThan(1.2);
  }
  expect(densityByDoses(evidence)).toBeCloseTo(Math.exp(2), 1);
});

it.each([30, 300])('nor does it with readings every %d s, shortly after a dose', (readingEveryS) => {
  for (let seed = 0; seed < 5; seed += 1)
    for (const factor of [2, 0.5]) {
      const course = { ...culture, doseEveryS: 600, readingEveryS, noise: 0.001, seed: `${seed}` };
      let { evidence } = observed(course);
      const from = evidence.atHours;
      const changed = Math.log(factor * (densityByDoses(evidence) ?? 1)) - Math.log1p(1 / 15);
      const dose = { dose: 100, pump: 'media', volumeMl: 15, addedMl: 1, drains: true, capacityMl: 20 } as const;
      evidence = evidenceStep(evidence, { kind: 'dose', hours: from, ...dose });
      for (let reading = 1; reading <= 5; reading += 1) {
        const hours = from + (reading * readingEveryS) / 3600;
        const logDensity = changed + culture.growth * (hours - from);
        evidence = evidenceStep(evidence, { kind: 'reading', hours, logDensity });
        expect(disturbanceOf(evidence)).toBeUndefined();
      }
    }
});

it.each([5, 30])('noise that grows twentyfold is learnt, with readings every %d s', (readingEveryS) => {
  const random = new SeededStream('more noise');
  let { evidence } = observed({ ...culture, doses: 10, readingEveryS, noise: 0.002 });
  const from = evidence.atHours;
  const [noise, hoursLater] = [0.04, 2];
  const now = Math.log(densityByDoses(evidence) ?? 1);
  for (let hours = from; hours < from + hoursLater; hours += readingEveryS / 3600) {
    const logDensity = now + noise * random.normal();
    evidence = evidenceStep(evidence, { kind: 'reading', hours, logDensity });
    if (hours > from + 0.5) expect(Math.abs(Math.log(densityByDoses(evidence) ?? 1) - now)).toBeLessThan(noise);
  }
  const { white, slow } = noiseOf(evidence.noise);
  expect(Math.sqrt(white + slow) / noise).toBeGreaterThan(0.8);
  expect(Math.sqrt(white + slow) / noise).toBeLessThan(1.25);
});

it('one reading far from all others leaves the density finite, also among the first ones', () => {
  for (let outlier = 1; outlier < 120; outlier += 1) {
    let evidence = noEvidence;
    for (let reading = 0; reading < outlier + 5; reading += 1) {
      const logDensity = reading === outlier ? Math.log(10) : 0.001 * (reading % 2);
      evidence = evidenceStep(evidence, { kind: 'reading', hours: (5 * reading) / 3600, logDensity });
    }
    expect(densityByDoses(evidence)).toBeCloseTo(1, 1);
  }
});

it.each([5, 30])(
  'a culture that grows ten times as fast as usual also changes its growth in a tenth of the time: nothing is found, with readings every %d s',
  (readingEveryS) => {
    for (let seed = 0; seed < 10; seed += 1) {
      const random = new SeededStream(`fast ${seed}`);
      let [evidence, logDensity, dose, freeS] = [noEvidence, -1, 0, 0];
      for (let atS = 0; atS < 3600; atS += 5) {
        const hours = atS / 3600;
        logDensity += ((4.5 + 0.7 * Math.sin((2 * Math.PI * hours) / 0.4)) * 5) / 3600;
        if (atS % readingEveryS !== 0) continue;
        const reading = { kind: 'reading', hours, logDensity: logDensity + 0.0056 * random.normal() } as const;
        evidence = evidenceStep(evidence, reading);
        expect(disturbanceOf(evidence)).toBeUndefined();
        if (logDensity < 0 || atS < freeS) continue;
        dose += 1;
        freeS = atS + 40;
        logDensity -= Math.log1p(1 / 15);
        const given = { pump: 'media', volumeMl: 15, addedMl: 1, drains: true, capacityMl: 20 } as const;
        evidence = evidenceStep(evidence, { kind: 'dose', hours, dose, ...given });
      }
    }
  },
);

it('doses far below the noise are neither found nor confirmed', () => {
  const tiny = { ...culture, doseMl: 0.02, readingEveryS: 120, noise: 0.0114 };
  const { evidence, found } = observed(tiny);
  expect(found).toBeUndefined();
  expect(isUnverified(evidence, 6)).toBe(true);
  expect(isUnverified(observed(culture).evidence, 6)).toBe(false);
});

it('a vial that fills because nothing leaves it dilutes less and less', () => {
  const { found } = observed({
    ...culture,
    noise: 0.003,
    effect: (number) => (number < 12 ? 1 : Math.log1p(1 / Math.min(20, 15 + number - 12)) / Math.log1p(1 / 15)),
  });
  expect(found).toMatchObject({ disturbance: 'waste_blocked' });
});

it('a pump is not reported as deviating after a few doses in noise that neighbouring readings share: its factor is not known', () => {
  const reported = Array.from({ length: 120 }, (_, seed) => seed).filter((seed) => {
    const chance = new SeededStream(`shared ${seed}`);
    let [wander, beforeS] = [chance.normal(), 0];
    const disturbance = (atS: number): number => {
      const stays = Math.exp(-(atS - beforeS) / 60);
      beforeS = atS;
      wander = stays * wander + Math.sqrt(1 - stays ** 2) * chance.normal();
      return 0.0108 * wander;
    };
    const noisy = { ...culture, noise: 0.0036, growth: 0.492, doseMl: 0.5, doseEveryS: 240, doses: 20 };
    return observed({ ...noisy, seed: `r ${seed}`, disturbance }).deviates;
  });
  expect(reported).toEqual([]);
});
