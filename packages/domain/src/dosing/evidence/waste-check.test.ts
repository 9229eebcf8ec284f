import { describe, expect, it } from 'vitest';
import { SeededStream } from '../../random/seeded-stream.ts';
import { type DoseEvidence, densityByDoses, disturbanceOf, evidenceStep, noEvidence } from './dose-evidence.ts';
import { type WasteCheck, type WasteProbe, wasteCheck } from './waste-check.ts';

const capacityMl = 20;
const levelMl = 15;

interface Course {
  readonly readingEveryS: number;
  readonly noise: number;
  readonly exchangeMl: number;
  readonly blockedFrom: number;
  readonly exchanges: number;
  readonly seed: string;
}

const probeOf = (check: WasteCheck): WasteProbe | undefined => {
  if (check.kind === 'probe') return check;
  return check.kind === 'unverifiable' ? check.probe : undefined;
};

/** A turbidostat that follows the checks: how it ends, what ran over, and the largest exchange. */
function turbidostat({ readingEveryS, noise, exchangeMl, blockedFrom, exchanges, seed }: Course) {
  const random = new SeededStream(seed);
  let evidence: DoseEvidence = noEvidence;
  let [volumeMl, spilledMl, logDensity, dose, largestMl, unverifiable] = [levelMl, 0, -0.02, 0, 0, 0];
  for (let atS = 0; dose < exchanges && atS < 72 * 3600; atS += readingEveryS) {
    const hours = atS / 3600;
    logDensity += (0.7 * readingEveryS) / 3600;
    const seen = logDensity + noise * random.normal();
    evidence = evidenceStep(evidence, { kind: 'reading', hours, logDensity: seen });
    const found = disturbanceOf(evidence);
    if (found !== undefined) return { end: found.disturbance, spilledMl, largestMl, dose, unverifiable };
    const held = Math.log(densityByDoses(evidence) ?? 0);
    if (held < 0) continue;
    const check = wasteCheck(evidence, { exchangeMl, volumeMl: levelMl, capacityMl });
    if (check.kind === 'blocked') return { end: 'blocked', spilledMl, largestMl, dose, unverifiable };
    if (check.kind === 'unverifiable') unverifiable += 1;
    const addedMl = probeOf(check)?.volumeMl ?? exchangeMl;
    if (held < Math.log((levelMl + addedMl) / (levelMl + exchangeMl)) / 2) continue;
    dose += 1;
    largestMl = Math.max(largestMl, addedMl);
    logDensity -= Math.log1p(addedMl / volumeMl);
    volumeMl += addedMl;
    if (dose < blockedFrom) volumeMl = levelMl;
    spilledMl += Math.max(0, volumeMl - capacityMl);
    volumeMl = Math.min(volumeMl, capacityMl);
    const given = { pump: 'media', volumeMl: levelMl, addedMl, drains: true, capacityMl } as const;
    evidence = evidenceStep(evidence, { kind: 'dose', hours: hours + 1e-6, dose, ...given });
  }
  return { end: 'held', spilledMl, largestMl, dose, unverifiable };
}

const course: Course = {
  readingEveryS: 5,
  noise: 0.0056,
  exchangeMl: 0.5,
  blockedFrom: 20,
  exchanges: 120,
  seed: '0',
};
const seeds = Array.from({ length: 12 }, (_, index) => `${index}`);

describe('a blocked waste tube, with readings every 5 s', () => {
  const ends = (exchangeMl: number) => seeds.map((seed) => turbidostat({ ...course, exchangeMl, seed }));

  it('is found before 2 ml have run over, in exchanges of 1 ml', () => {
    for (const { end, spilledMl, dose } of ends(1)) {
      expect(end).not.toBe('held');
      expect(dose).toBeGreaterThanOrEqual(course.blockedFrom);
      expect(spilledMl).toBeLessThanOrEqual(2);
    }
  });

  it('is found so in nearly all runs, in exchanges of 0.5 ml: the noise decides', () => {
    const found = ends(0.5).filter(({ end, dose }) => end !== 'held' && dose >= course.blockedFrom);
    expect(found.length).toBe(seeds.length);
    expect(found.filter(({ spilledMl }) => spilledMl <= 2).length).toBeGreaterThanOrEqual(11);
  });
});

it('a blocked waste tube is found with readings every 30 s too, at the latest when the vial has run over for a while', () => {
  for (const seed of seeds) expect(turbidostat({ ...course, readingEveryS: 30, seed }).end).not.toBe('held');
});

it.each([
  [30, 0.0056, 3],
  [60, 0.0056, 6],
  [120, 0.0056, 12],
])(
  'exchanges stay large until a blocked waste tube is found: with readings every %d s and a noise of %d, nine of ten times before %d ml have run over',
  (readingEveryS, noise, mostMl) => {
    const many = Array.from({ length: 40 }, (_, seed) => `large ${seed}`);
    const found = many
      .map((seed) => turbidostat({ ...course, readingEveryS, noise, seed }))
      .filter(({ end, spilledMl }) => end !== 'held' && spilledMl <= mostMl);
    expect(found.length).toBeGreaterThanOrEqual(0.9 * many.length);
  },
);

describe('a waste tube that works', () => {
  it.each([5, 30])('is not taken for a blocked one, with readings every %d s', (readingEveryS) => {
    for (const seed of seeds) {
      const { end, largestMl } = turbidostat({ ...course, readingEveryS, blockedFrom: 1000, seed });
      expect(end).toBe('held');
      // Within 5 % of the target on both sides.
      expect(largestMl).toBeLessThanOrEqual(levelMl * Math.expm1(2 * 0.048));
    }
  });

  it('is called unverifiable where one larger exchange does not tell; some of them together may', () => {
    const { end, largestMl, unverifiable } = turbidostat({
      ...course,
      readingEveryS: 60,
      noise: 0.02,
      blockedFrom: 1000,
    });
    expect(end).toBe('held');
    expect(largestMl).toBeGreaterThan(course.exchangeMl);
    expect(largestMl).toBeLessThanOrEqual(levelMl * Math.expm1(2 * 0.048));
    expect(unverifiable).toBeGreaterThan(0);
  });

  it('is called unverifiable, without larger exchanges, where no number of them shows it', () => {
    const { end, largestMl, unverifiable } = turbidostat({
      ...course,
      readingEveryS: 60,
      noise: 0.06,
      blockedFrom: 1000,
    });
    expect(end).toBe('held');
    expect(largestMl).toBe(course.exchangeMl);
    expect(unverifiable).toBeGreaterThan(0);
  });
});
