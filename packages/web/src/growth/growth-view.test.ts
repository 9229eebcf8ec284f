import { type GrowthComparison, type GrowthFit, type GrowthGroup, hourMs } from '@lcs/contract';
import { expect, it } from 'vitest';
import { dilutionText, fitNumber, groupNumber, hasReplicates, legendText, meanLines, notesOf } from './growth-view.ts';

const estimate = (value: number) => ({ value, se: 0.01, lower: value - 0.1, upper: value + 0.1 });
const fit: GrowthFit = {
  fit: 'gompertz',
  failure: null,
  mu_max: estimate(0.51234),
  lag_h: null,
  carrying_capacity: null,
  doubling_time_h: null,
  missing: { lag_h: 'lag_not_in_batch', doubling_time_h: 'rate_not_above_zero' },
  mu_max_at_h: 2,
  from_h: 0,
  to_h: 5,
  points: 30,
  rss: 0.1,
  aicc: null,
  parameters: {},
};

it('shows the numbers of a fit with their intervals, and why others have no meaning', () => {
  expect(fitNumber(fit, 'mu_max')).toEqual({ text: '0.512 (0.412 to 0.612)' });
  const reasons = (of: GrowthFit | undefined, quantities: readonly ('mu_max' | 'lag_h' | 'doubling_time_h')[]) =>
    quantities.map((quantity) => fitNumber(of, quantity)).filter(({ text, reason }) => text === '–' && reason);
  // A number that is missing without a reason is not determined.
  expect(fitNumber(fit, 'carrying_capacity').reason).toBe('the readings do not determine it');
  expect(reasons(fit, ['lag_h', 'doubling_time_h'])).toHaveLength(2);
  // A rate that is not above 0 is no growth rate; a fit that failed has no numbers at all.
  expect(fitNumber({ ...fit, mu_max: estimate(-0.02) }, 'mu_max')).toEqual({ text: '–', reason: 'no growth' });
  expect(reasons({ ...fit, failure: 'not_converged', mu_max: null }, ['mu_max', 'lag_h'])).toHaveLength(2);
  expect(reasons(undefined, ['mu_max'])).toHaveLength(1);
});

it('shows the means of groups where they have a meaning', () => {
  const of = { fit: 'gompertz', n: 3, mean: 0.5, sd: 0.1, lower: 0.25, upper: 0.75 } as const;
  const groupOf = (...statistics: GrowthGroup['statistics']) => ({ units: ['a', 'b', 'c'], statistics });
  expect(groupNumber(groupOf({ ...of, quantity: 'mu_max' }), 'mu_max', 'gompertz')).toEqual({
    text: '0.5 (0.25 to 0.75), n = 3',
  });
  const one = { ...of, quantity: 'generations', fit: null, n: 1, mean: 4, sd: null, lower: null, upper: null } as const;
  expect(groupNumber(groupOf(one), 'generations', null)).toEqual({ text: '4, n = 1 of 3' });
  // A group of one unit has its number, not a mean.
  const single = { units: ['a'], statistics: [{ ...one, quantity: 'mu_max', fit: 'gompertz', mean: 0.5 } as const] };
  expect(groupNumber(single, 'mu_max', 'gompertz')).toEqual({ text: '0.5' });
  expect([hasReplicates([single]), hasReplicates([single, groupOf()])]).toEqual([false, true]);
  // A lag may be below 0, a doubling time may not.
  const wide = { ...of, n: 2, mean: 4, lower: -20, upper: 28 };
  expect(groupNumber(groupOf({ ...wide, quantity: 'lag_h' }), 'lag_h', 'gompertz').text).toBe(
    '4 (−20 to 28), n = 2 of 3',
  );
  const doubling = groupNumber(groupOf({ ...wide, quantity: 'doubling_time_h' }), 'doubling_time_h', 'gompertz');
  expect(doubling).toMatchObject({ text: '4, n = 2 of 3', reason: expect.stringContaining('below 0') });
  const shrinking = groupNumber(groupOf({ ...of, quantity: 'mu_max', mean: -0.1 }), 'mu_max', 'gompertz');
  expect(shrinking).toMatchObject({ text: '–', reason: expect.any(String) });
  // What a mean below 0 says depends on the quantity.
  const quantities = ['mu_max', 'doubling_time_h', 'carrying_capacity'] as const;
  const below = quantities.map((quantity) =>
    groupNumber(groupOf({ ...of, quantity, mean: -0.1 }), quantity, 'gompertz'),
  );
  expect(below.map(({ text }) => text)).toEqual(['–', '–', '–']);
  expect(notesOf([...below, ...below, { text: '1' }])).toHaveLength(3);
  expect(groupNumber(groupOf(), 'mu_max', 'log_linear')).toMatchObject({ text: '–', reason: expect.any(String) });
});

it('says which units were diluted', () => {
  expect(dilutionText([])).toBe('');
  expect(dilutionText(['unit4', 'unit5'])).toMatch(/^Diluted: unit4, unit5\./);
});

it('begins charts at the first hour, which alignment may put before 0', () => {
  const mean = (name: string, hours: number[]) => ({
    name,
    hours,
    od: hours,
    n: hours,
    upper: hours,
    lower: [-0.2, null, 0.4],
  });
  const experiments: GrowthComparison['experiments'] = [
    { experiment: 'e', curves: [], means: [mean('a', [-2, 0, 1]), mean('b', [0, 3])] },
  ];
  const { lines, firstH } = meanLines({ experiments } satisfies Pick<GrowthComparison, 'experiments'>);
  expect(firstH).toBe(-2);
  expect(lines.map(({ hours }) => hours)).toEqual([expect.arrayContaining([0, 2, 3]), expect.arrayContaining([2, 5])]);
  expect(lines[0]?.low?.filter((_, index) => [0, 2, 3].includes(lines[0]?.hours[index] ?? -1))).toEqual([0, null, 0.4]);
});

it('a mean is broken where its units change, with how many they are before and after', () => {
  const hours = Array.from({ length: 101 }, (_, hour) => hour / 4);
  const n = hours.map((hour) => (hour <= 20 ? 6 : hour <= 23 ? 4 : 1));
  const mean = { name: 'a', hours, n, od: hours, lower: hours, upper: hours };
  const [line] = meanLines({ experiments: [{ experiment: 'e', curves: [], means: [mean] }] }).lines;
  expect(line?.changes).toEqual([
    { atMs: 20.125 * hourMs, before: 6, after: 4 },
    { atMs: 23.125 * hourMs, before: 4, after: 1 },
  ]);
  expect(line?.hours.filter((_, index) => line.median[index] === null)).toEqual([20.125, 23.125]);
  expect(line && legendText(line)).toBe('a: mean of 6 units until 20.1 h, 4 units until 23.1 h, 1 unit until 25 h');
  const near = line && {
    ...line,
    hours: [0, 24.2],
    counts: [3, 2],
    changes: [{ atMs: 24.19 * 3_600_000, before: 3, after: 2 }],
  };
  expect(near && legendText(near)).toBe('a: mean of 3 units until 24.2 h');
  const alone = { ...mean, n: hours.map(() => 1) };
  const [whole] = meanLines({ experiments: [{ experiment: 'e', curves: [], means: [alone] }] }).lines;
  expect([whole?.changes, whole && legendText(whole)]).toEqual([[], 'a']);
});
