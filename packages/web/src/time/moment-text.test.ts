import { expect, it } from 'vitest';
import { momentText } from './moment-text.ts';

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
