import type { GrowthComparison, GrowthGroup } from '@lcs/contract';
import { expect, it } from 'vitest';
import { estimateText, groupText, meanLines } from './growth-view.ts';

it('shows numbers with their intervals', () => {
  expect(estimateText({ value: 0.51234, se: 0.01, lower: 0.4, upper: 0.6 })).toBe('0.512 (0.4 to 0.6)');
  expect(estimateText(null)).toBe('–');
  const statistics = [
    { quantity: 'mu_max', fit: 'gompertz', n: 3, mean: 0.5, sd: 0.1, lower: 0.25, upper: 0.75 },
    { quantity: 'generations', fit: null, n: 1, mean: 4, sd: null, lower: null, upper: null },
  ] satisfies GrowthGroup['statistics'];
  const group = { name: 'a', units: [], statistics };
  expect(groupText(group, 'mu_max', 'gompertz')).toBe('0.5 (0.25 to 0.75), n = 3');
  expect(groupText(group, 'generations', null)).toBe('4, n = 1');
  expect(groupText(group, 'mu_max', 'log_linear')).toBe('–');
});

it('begins charts at the first hour, which alignment may put before 0', () => {
  const mean = (name: string, hours: number[]) => ({ name, hours, od: hours, lower: hours, upper: hours, n: hours });
  const experiments: GrowthComparison['experiments'] = [
    { experiment: 'e', curves: [], means: [mean('a', [-2, 0, 1]), mean('b', [0, 3])] },
  ];
  const { lines, firstH } = meanLines({ experiments } satisfies Pick<GrowthComparison, 'experiments'>);
  expect(firstH).toBe(-2);
  expect(lines.map(({ hours }) => hours)).toEqual([
    [0, 2, 3],
    [2, 5],
  ]);
});
