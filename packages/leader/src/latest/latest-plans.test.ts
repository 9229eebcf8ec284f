import { explain } from '@lcs/platform';
import { expect, it } from 'vitest';
import { testSeriesStore } from '../testing/test-series.ts';
import { intervalMeans, lastDoses, latestReadings } from './latest-queries.ts';

it('reads a few rows of each assigned unit by their keys', async () => {
  await using store = await testSeriesStore();
  const { read } = store.database;
  const grid = { table: 'rollup_1m', from: 0, to: 1, intervalMs: 1 };
  for (const query of [latestReadings, lastDoses, intervalMeans('od', grid)]) {
    const plan = await explain(read, query.compile(read).sql);
    // Of the large tables none is scanned; assignments are few.
    expect(plan.filter((step) => step.startsWith('SCAN') && !/^SCAN [ae]\b/.test(step))).toEqual([]);
    expect(plan).toContainEqual(
      expect.stringMatching(/^SEARCH (s|d) USING .*(series_by_meaning|events_by_experiment)/),
    );
  }
});
