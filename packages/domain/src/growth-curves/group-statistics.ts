import { twoSidedT, upperChiSquare, upperF } from './distributions.ts';
import { studentEstimate } from './estimate.ts';

/** Statistics over the units of a group: each unit counts once. */
export interface GroupStatistics {
  readonly n: number;
  readonly mean: number | null;
  /** Sample standard deviation (n − 1); null below two values. */
  readonly sd: number | null;
  /** 95 % interval of the mean by Student's t; null below two values. */
  readonly lower: number | null;
  readonly upper: number | null;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sum of squared deviations from the mean. */
const squaresOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
};

export function groupStatistics(values: readonly number[]): GroupStatistics {
  const n = values.length;
  if (n === 0) return { n, mean: null, sd: null, lower: null, upper: null };
  const mean = meanOf(values);
  if (n === 1) return { n, mean, sd: null, lower: null, upper: null };
  const sd = Math.sqrt(squaresOf(values) / (n - 1));
  const { lower, upper } = studentEstimate(mean, sd / Math.sqrt(n), n - 1);
  return { n, mean, sd, lower, upper };
}

export type TestName = 'welch_t' | 'one_way_anova' | 'kruskal_wallis';

/** The name of each test, as a paper cites it. */
export const testReferences: Readonly<Record<TestName, string>> = {
  welch_t: "Welch's two-sided t-test (unequal variances); with more than two groups p is corrected by Holm's method",
  one_way_anova: 'One-way analysis of variance (F test)',
  kruskal_wallis: 'Kruskal–Wallis rank test, corrected for ties (χ² approximation)',
};

/** The result of a test that groups do not differ. */
export interface TestResult {
  readonly test: TestName;
  readonly groups: readonly string[];
  readonly statistic: number;
  readonly df: readonly number[];
  readonly p: number;
  /** p corrected for the number of pairs by Holm's method; null where only one comparison was made. */
  readonly adjustedP: number | null;
}

export interface NamedGroup {
  readonly name: string;
  readonly values: readonly number[];
}

/** Welch's t-test, two-sided, unequal variances (Biometrika 34, 1947); undefined: too few values or none differ. */
export function welchTest(first: NamedGroup, second: NamedGroup): TestResult | undefined {
  const parts = [first, second].map(({ values }) => {
    const n = values.length;
    return { n, mean: meanOf(values), share: squaresOf(values) / (n - 1) / n };
  });
  const [a, b] = parts;
  if (a === undefined || b === undefined || a.n < 2 || b.n < 2) return undefined;
  const variance = a.share + b.share;
  if (!(variance > 0)) return undefined;
  const statistic = (a.mean - b.mean) / Math.sqrt(variance);
  const df = variance ** 2 / (a.share ** 2 / (a.n - 1) + b.share ** 2 / (b.n - 1));
  const groups = [first.name, second.name];
  return { test: 'welch_t', groups, statistic, df: [df], p: twoSidedT(statistic, df), adjustedP: null };
}

/** One-way analysis of variance (Fisher, 1925). */
export function oneWayAnova(groups: readonly NamedGroup[]): TestResult | undefined {
  const usable = groups.filter(({ values }) => values.length > 0);
  const all = usable.flatMap(({ values }) => values);
  const df: [number, number] = [usable.length - 1, all.length - usable.length];
  if (df[0] < 1 || df[1] < 1) return undefined;
  const within = usable.reduce((sum, { values }) => sum + squaresOf(values), 0);
  if (!(within > 0)) return undefined;
  const statistic = Math.max(0, squaresOf(all) - within) / df[0] / (within / df[1]);
  const names = usable.map(({ name }) => name);
  return { test: 'one_way_anova', groups: names, statistic, df, p: upperF(statistic, ...df), adjustedP: null };
}

/** Kruskal–Wallis test with correction for ties, p by the χ² approximation (J. Am. Stat. Assoc. 47, 1952). */
export function kruskalWallis(groups: readonly NamedGroup[]): TestResult | undefined {
  const usable = groups.filter(({ values }) => values.length > 0);
  const sorted = usable.flatMap(({ values }) => values).sort((a, b) => a - b);
  const n = sorted.length;
  const df = usable.length - 1;
  if (df < 1 || n - usable.length < 1) return undefined;
  const rankOf = (value: number): number => (sorted.indexOf(value) + 1 + sorted.lastIndexOf(value) + 1) / 2;
  const sum = usable.reduce(
    (total, { values }) => total + values.reduce((ranks, value) => ranks + rankOf(value), 0) ** 2 / values.length,
    0,
  );
  const ties = [...Map.groupBy(sorted, (value) => value).values()].reduce(
    (total, { length }) => total + length ** 3 - length,
    0,
  );
  const correction = 1 - ties / (n ** 3 - n);
  if (!(correction > 0)) return undefined;
  const statistic = ((12 / (n * (n + 1))) * sum - 3 * (n + 1)) / correction;
  const names = usable.map(({ name }) => name);
  return {
    test: 'kruskal_wallis',
    groups: names,
    statistic,
    df: [df],
    p: upperChiSquare(statistic, df),
    adjustedP: null,
  };
}

/** Corrects the p of several tests (Holm, Scand. J. Stat. 6, 1979). */
function holm(tests: readonly TestResult[]): TestResult[] {
  if (tests.length < 2) return [...tests];
  const ordered = tests.toSorted((a, b) => a.p - b.p);
  let highest = 0;
  const adjusted = new Map(
    ordered.map((test, index) => {
      highest = Math.max(highest, Math.min(1, test.p * (ordered.length - index)));
      return [test, highest];
    }),
  );
  return tests.map((test) => ({ ...test, adjustedP: adjusted.get(test) ?? null }));
}

/** More groups than this are compared together only. */
const mostGroupsInPairs = 12;

/** Two groups: Welch's t-test. More: analysis of variance, Kruskal–Wallis, and Welch's t-test of each pair with Holm's correction. */
export function compareGroups(groups: readonly NamedGroup[]): TestResult[] {
  const usable = groups.filter(({ values }) => values.length >= 2);
  const pairs =
    usable.length > mostGroupsInPairs
      ? []
      : usable.flatMap((first, index) => usable.slice(index + 1).flatMap((second) => welchTest(first, second) ?? []));
  if (usable.length < 3) return pairs;
  return [oneWayAnova(usable) ?? [], kruskalWallis(usable) ?? [], holm(pairs)].flat();
}
