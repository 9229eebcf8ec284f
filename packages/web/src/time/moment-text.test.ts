import { expect, it } from 'vitest';
import {
  exactText,
  fieldZone,
  localSecond,
  localText,
  momentText,
  offsetText,
  secondOfAnyYearText,
  windowZones,
  zonesText,
  zoneText,
} from './moment-text.ts';

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

/** Europe/Berlin in 2026: summer time from 29 March to 25 October, each at 01:00 UTC. */
const berlin = (ms: number): number => (ms >= Date.UTC(2026, 2, 29, 1) && ms < Date.UTC(2026, 9, 25, 1) ? 120 : 60);
const [winter, summer, now] = [Date.UTC(2026, 0, 10), Date.UTC(2026, 6, 10, 8), Date.UTC(2026, 10, 27)];

it('names the zone of the shown moments, not the zone of now', () => {
  expect(zoneText(summer, berlin)).toBe('UTC+2');
  expect(zonesText([now, summer, winter], berlin)).toBe('UTC+1/UTC+2');
  expect(zonesText([summer], berlin)).toBe('UTC+2');
  expect(windowZones({ fromMs: summer, toMs: summer + 60_000 }, berlin)).toBe('UTC+2');
  expect(windowZones({ fromMs: summer, toMs: now }, berlin)).toBe('UTC+1/UTC+2');
  // Both ends are in winter, the summer is between them.
  expect(windowZones({ fromMs: winter, toMs: now }, berlin)).toBe('UTC+1/UTC+2');
});

it('names the zone in which a field reads its value', () => {
  expect(fieldZone('2026-07-10T10:00', now, berlin)).toBe('UTC+2');
  expect(fieldZone('2026-12-10T10:00', summer, berlin)).toBe('UTC+1');
  expect(['', '2026-07'.repeat(2)].map((value) => fieldZone(value, summer, berlin))).toEqual(['UTC+2', 'UTC+2']);
});

it('an entry of another year has its year', () => {
  const ms = new Date(2024, 10, 26, 16, 35, 7).getTime();
  expect(secondOfAnyYearText(ms, 2026)).toMatch(/2024 16:35:07$/);
  expect(secondOfAnyYearText(ms, 2024)).not.toMatch(/2024/);
});
