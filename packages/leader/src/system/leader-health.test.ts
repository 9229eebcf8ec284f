import { explain } from '@lcs/platform';
import { expect, it } from 'vitest';
import { answerWith, record, testIngest } from '../testing/test-ingest.ts';
import { bytesPerDayOf, daysLeft, leaderHealth, storedSinceQuery } from './leader-health.ts';

it('forecasts the disk from the readings of the last day', async () => {
  await using store = await testIngest();
  await store.addExperiments('e1');
  await store.take('rx01', answerWith(Array.from({ length: 1_000 }, (_, index) => record.sample(index + 1))));
  const host = {
    diskSpace: async () => ({ availableBytes: 34_000_000, totalBytes: 68_000_000 }),
    memory: async () => ({ availableBytes: 1e9, totalBytes: 4e9 }),
    load: () => ({ oneMinute: 0.5, cores: 4 }),
  };
  const { at } = (await store.all('select min(at) as at from samples'))[0] ?? {};
  const nowMs = Number(at) + 12 * 3_600_000;
  const context = { database: store.database, dataFolder: '.' };
  const broker = { state: 'embedded' as const };
  const options = {
    context,
    reads: store.database.read,
    host,
    broker,
    version: '26.11.0',
    startedAtMs: nowMs - 5_000,
    nowMs,
  };
  const health = await leaderHealth(options);
  expect(health).toMatchObject({ readings_per_day: 1_000, bytes_per_day: 68_000, days_left: 500 });
  expect(health.database_bytes).toBeGreaterThan(100_000);
  const later = { ...options, nowMs: nowMs + 3 * 86_400_000 };
  expect(await leaderHealth(later)).toMatchObject({ readings_per_day: 0, days_left: null });
  expect(daysLeft(100, 0)).toBeNull();
});

it('divides the readings by the time that they cover', () => {
  const hourMs = 3_600_000;
  expect(bytesPerDayOf(1_000, 24 * hourMs)).toBe(34_000);
  expect(bytesPerDayOf(1_000, 2 * hourMs)).toBe(12 * 34_000);
  expect(bytesPerDayOf(1_000, hourMs - 1)).toBeNull();
});

it('finds the readings of the last day by the key of the roll-ups', async () => {
  await using store = await testIngest();
  const { read } = store.database;
  const plan = await explain(read, { compile: () => storedSinceQuery(1).compile(read) });
  expect(plan).toContainEqual('SEARCH r USING PRIMARY KEY (series_id=? AND bucket>?)');
  expect(plan.filter((step) => step.startsWith('SCAN r'))).toEqual([]);
});
