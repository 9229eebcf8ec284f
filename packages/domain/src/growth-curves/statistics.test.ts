import { describe, expect, it } from 'vitest';
import { tOfCoverage, upperChiSquare, upperF } from './distributions.ts';
import { compareGroups, groupStatistics, kruskalWallis, oneWayAnova, welchTest } from './group-statistics.ts';
import { lnGamma } from './special-functions.ts';

/** Dried weight of plants: Dobson, An Introduction to Statistical Modelling, 1983 (`PlantGrowth` of R). */
const plants = [
  { name: 'ctrl', values: [4.17, 5.58, 5.18, 6.11, 4.5, 4.61, 5.17, 4.53, 5.33, 5.14] },
  { name: 'trt1', values: [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69] },
  { name: 'trt2', values: [6.31, 5.12, 5.54, 5.5, 5.37, 5.29, 4.92, 6.15, 5.8, 5.26] },
];
/** Extra hours of sleep: Student, Biometrika 6, 1908 (`sleep` of R). */
const sleep = [
  { name: '1', values: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2] },
  { name: '2', values: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4] },
] as const;

describe('distributions', () => {
  it.each([
    [1, 12.706204736174694],
    [2.5, 3.5746548420036817],
    [4, 2.7764451051977934],
    [10, 2.228138851986274],
    [100, 1.9839715185235518],
  ])('Student’s t of 95 % and %d degrees of freedom', (df, t) => expect(tOfCoverage(0.95, df)).toBeCloseTo(t, 9));

  it('both branches of the incomplete functions', () => {
    expect(upperF(0.2, 3, 8)).toBeCloseTo(0.8935098957784526, 10);
    expect(upperChiSquare(0.3, 5)).toBeCloseTo(0.9976430862605289, 10);
    expect(upperChiSquare(7.9882, 2)).toBeCloseTo(Math.exp(-7.9882 / 2), 12);
    expect(lnGamma(11)).toBeCloseTo(Math.log(3_628_800), 11);
    expect(lnGamma(0.25)).toBeCloseTo(Math.log(3.625609908221908), 11);
  });
});

describe('statistics of groups, with the values of R', () => {
  it('mean, deviation and interval', () => {
    const { n, mean, sd, lower, upper } = groupStatistics(sleep[0].values);
    expect([n, mean, sd]).toEqual([10, expect.closeTo(0.75, 12), expect.closeTo(1.78901, 5)]);
    // t.test(extra[group == 1])$conf.int
    expect([lower, upper]).toEqual([expect.closeTo(-0.5297804, 6), expect.closeTo(2.0297804, 6)]);
    expect(groupStatistics([2])).toEqual({ n: 1, mean: 2, sd: null, lower: null, upper: null });
    expect(groupStatistics([])).toMatchObject({ n: 0, mean: null });
  });

  it('Welch’s t-test', () => {
    const found = welchTest(...sleep);
    expect(found?.statistic).toBeCloseTo(-1.8608134674868526, 10);
    expect(found?.df[0]).toBeCloseTo(17.776473516178488, 9);
    expect(found?.p).toBeCloseTo(0.0793941401873583, 10);
  });

  it('analysis of variance and Kruskal–Wallis with ties', () => {
    const anova = oneWayAnova(plants);
    expect(anova?.statistic).toBeCloseTo(4.846087862380135, 10);
    expect(anova).toMatchObject({ df: [2, 27], p: expect.closeTo(0.015909958325622912, 10) });
    const ranks = kruskalWallis(plants);
    expect(ranks?.statistic).toBeCloseTo(7.988228749443715, 10);
    expect(ranks?.p).toBeCloseTo(0.018423755731471966, 10);
  });

  it('two groups are compared by one test, three by five, with Holm’s correction', () => {
    expect(compareGroups(sleep).map(({ test, adjustedP }) => [test, adjustedP])).toEqual([['welch_t', null]]);
    const all = compareGroups(plants);
    expect(all.map(({ test }) => test)).toEqual(['one_way_anova', 'kruskal_wallis', 'welch_t', 'welch_t', 'welch_t']);
    const pairs = all.slice(2).toSorted((a, b) => a.p - b.p);
    const [first, second, third] = pairs.map(({ p }) => p);
    expect(pairs.map(({ adjustedP }) => adjustedP)).toEqual([
      3 * (first ?? 0),
      Math.max(3 * (first ?? 0), 2 * (second ?? 0)),
      Math.max(2 * (second ?? 0), third ?? 0),
    ]);
  });

  it('compares nothing that does not vary or has one unit', () => {
    expect(
      compareGroups([
        { name: 'a', values: [1, 1] },
        { name: 'b', values: [1, 1] },
      ]),
    ).toEqual([]);
    expect(
      compareGroups([
        { name: 'a', values: [1] },
        { name: 'b', values: [2, 3] },
      ]),
    ).toEqual([]);
  });
});
