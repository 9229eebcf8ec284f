import { expect, it } from 'vitest';
import { planText } from './backup-plan-text.ts';

const plan = (interval_hours: number, keep_daily: number, keep_weekly: number) =>
  planText({ interval_hours, keep_daily, keep_weekly });

it('a plan of backups is a sentence', () => {
  expect(plan(24, 7, 4)).toBe('Every day; keeps 7 daily and 4 weekly');
  expect(plan(6, 2, 0)).toBe('Every 6 h; keeps 2 daily');
  expect(plan(0, 0, 0)).toBe('Only on request; keeps the newest only');
});
