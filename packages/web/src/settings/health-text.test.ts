import { expect, it } from 'vitest';
import { forecastText, healthFacts } from './health-text.ts';

const nowMs = Date.parse('2026-11-26T12:00:00.000Z');
const health = {
  version: '26.11.0',
  started_at: '2026-11-24T11:00:00.000Z',
  utc_time: '2026-11-26T12:00:00.000Z',
  disk: { available_bytes: 2_440_000_000, total_bytes: 10_000_000_000 },
  memory: { available_bytes: 50_000_000, total_bytes: 1_000_000_000 },
  load: { one_minute: 1, cores: 4 },
  broker: 'embedded' as const,
  database_bytes: 120_000_000,
  readings_per_day: 1_176_470,
  bytes_per_day: 40_000_000,
  days_left: 61.2,
};

it('says how long the disk lasts at the present rate', () => {
  expect(forecastText(health)).toBe('At 40.0 MB a day, 61 days left');
  expect(forecastText({ bytes_per_day: 100, days_left: 90_000 })).toContain('more than 10 years left');
  expect(forecastText({ bytes_per_day: 0, days_left: null })).toContain('no forecast');
  expect(forecastText({ bytes_per_day: null, days_left: null })).toContain('no forecast yet');
});

it('marks what runs short', () => {
  const facts = healthFacts(health, nowMs);
  expect(facts.map(({ name, value }) => [name, value])).toEqual([
    ['Disk', '2.44 GB free (24\u00a0%)'],
    ['Database', '120 MB'],
    ['Memory', '50.0 MB free'],
    ['Load', '25 %'],
    ['MQTT broker', 'Running'],
    ['Running for', '2 d'],
  ]);
  expect(facts.filter(({ isBad }) => isBad).map(({ name }) => name)).toEqual(['Memory']);
  const full = healthFacts(
    { ...health, days_left: 3, load: { one_minute: 9, cores: 4 }, broker: 'unreachable' },
    nowMs,
  );
  expect(full.filter(({ isBad }) => isBad).map(({ name }) => name)).toEqual(['Disk', 'Memory', 'Load', 'MQTT broker']);
});
