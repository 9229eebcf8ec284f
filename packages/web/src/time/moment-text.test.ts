import { expect, it } from 'vitest';
import { exactText, localSecond, localText, momentText, offsetText, zoneText } from './moment-text.ts';

it('a time of the day has its day when it is not today, and its year when it is not this year', () => {
  const nowMs = new Date(2026, 10, 26, 16, 40).getTime();
  const textOf = (...parts: [number, number, number, number, number]) =>
    momentText(new Date(...parts).getTime(), nowMs);
  expect(textOf(2026, 10, 26, 16, 35)).toBe('16:35');
  expect(textOf(2026, 10, 26, 0, 0)).toBe('00:00');
  // Less than a day ago, but yesterday.
  expect(textOf(2026, 10, 25, 23, 59)).toMatch(/25.* 23:59$/);
  expect(textOf(2026, 10, 23, 16, 35)).toMatch(/23.* 16:35$/);
  expect(textOf(2026, 10, 23, 16, 35)).not.toMatch(/2026/);
  expect(textOf(2025, 10, 26, 16, 35)).toMatch(/2025.* 16:35$/);
});

it('shows 24 hours everywhere, and on hover the seconds with the zone', () => {
  const ms = new Date(2026, 10, 26, 16, 35, 7).getTime();
  expect(localText(ms)).toMatch(/2026 16:35$/);
  expect(exactText(ms)).toContain(`16:35:07 ${zoneText(ms)}`);
  expect(exactText(ms)).toMatch(/\d\d:\d\d:07 UTC$/);
  expect(localSecond(ms)).toBe('2026-11-26T16:35:07');
});

it('names zones by their offset', () => {
  expect([0, 60, -210, 330, 765].map(offsetText)).toEqual(['UTC', 'UTC+1', 'UTC−3:30', 'UTC+5:30', 'UTC+12:45']);
});
