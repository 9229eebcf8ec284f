import { referenceDosed, referenceFilter, referenceStep } from './reference-filter.ts';
import type { ScienceFigure } from './science-case.ts';

/** Known courses of the reference filter: whoever compares with it must have it right. Readings five seconds apart. */
const warmUp = [0.1, 0.1002, 0.0998, 0.1003, 0.1001, 0.0999, 0.1004, 0.1002, 0.1005, 0.1003];
const course = [
  { od: 0.1006, level: 0.00389725, rate: 1.45e-6 },
  { od: 0.1007, level: 0.00442951 },
  { od: 0.1005, level: 0.00395505 },
  { od: 0.13, level: 0.00712632, rate: 0.00031007 },
  { od: 0.1009, level: 0.00708611 },
  { od: 0.094, level: -0.06375124, isDosed: true },
  { od: 0.0941, level: -0.06281176 },
  { od: 0.0943, level: -0.06174775, rate: 0.00031707 },
] as const;

/** The largest deviation from the known numbers, relative to them. */
export function goldenGrowth(): ScienceFigure[] {
  const at = (index: number): number => 5_000 * index;
  let filter = referenceFilter(
    warmUp.map((od, index) => ({ atMs: at(index), od })),
    5,
  );
  let [level, rate] = [0, 0];
  course.forEach((known, index) => {
    if ('isDosed' in known) filter = referenceDosed(filter);
    filter = referenceStep(filter, { atMs: at(warmUp.length + index), od: known.od });
    level = Math.max(level, Math.abs(filter.level / known.level - 1));
    if ('rate' in known) rate = Math.max(rate, Math.abs(filter.rate - known.rate));
  });
  return [
    {
      name: 'golden course: ln OD of the reference, relative deviation',
      unit: '',
      value: level,
      aim: { atMost: 1e-4 },
    },
    { name: 'golden course: rate of the reference, deviation', unit: 'h⁻¹', value: rate, aim: { atMost: 1e-7 } },
  ];
}
