import { expect, it } from 'vitest';
import { planText, removedBackups, replacedText } from './backup-plan-text.ts';

const plan = (interval_hours: number, keep_daily: number, keep_weekly: number) =>
  planText({ interval_hours, keep_daily, keep_weekly });

it('a plan of backups is a sentence', () => {
  expect(plan(24, 7, 4)).toBe('Every day; keeps 7 daily and 4 weekly');
  expect(plan(6, 2, 0)).toBe('Every 6 h; keeps 2 daily');
  expect(plan(0, 0, 0)).toBe('Only on request; keeps the newest only');
});

const made = (backup_name: string, created_at: string) => ({ backup_name, created_at, bytes: 1, app_version: '1' });

it('says which backups the plan has removed, and which one the next backup removes', () => {
  const old = made('a', '2026-11-26T22:00:00.000Z');
  const today = made('b', '2026-11-27T01:00:00.000Z');
  expect(removedBackups([today, old], [made('c', '2026-11-27T02:00:00.000Z'), old])).toEqual(['b']);
  expect(removedBackups([old], [today, old])).toEqual([]);
  const nowMs = Date.parse('2026-11-27T03:00:00.000Z');
  const later = made('c', '2026-11-27T02:00:00.000Z');
  expect(replacedText({ keep_daily: 2, keep_weekly: 0, backups: [later, today, old] }, nowMs)).toContain(
    'first and the newest',
  );
  expect(replacedText({ keep_daily: 2, keep_weekly: 0, backups: [today, old] }, nowMs)).toBe('');
  expect(replacedText({ keep_daily: 2, keep_weekly: 0, backups: [old] }, nowMs)).toBe('');
  expect(replacedText({ keep_daily: 0, keep_weekly: 0, backups: [old] }, nowMs)).toContain('replaces');
  expect(replacedText({ keep_daily: 2, keep_weekly: 0, backups: [] }, nowMs)).toBe('');
});
