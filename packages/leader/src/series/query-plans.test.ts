import { explain } from '@lcs/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestSeriesStore, testSeriesStore } from '../testing/test-series.ts';
import { eventSql } from './event-reader.ts';
import { lastOfOldest, removeBetween, removeEvents } from './experiment-data.ts';
import { flagMovedSampleSql, flagSampleSql, insertContextSql, moveSql, rebuildAroundMovedSql } from './ingest-sql.ts';
import { rollupLevels, TouchedBuckets } from './rollup-levels.ts';
import { lineSql } from './series-reader.ts';
import { windowSql } from './window-reader.ts';

let store: TestSeriesStore | undefined;
beforeAll(async () => {
  store = await testSeriesStore();
});
afterAll(() => store?.[Symbol.asyncDispose]());

const read = () => {
  if (!store) throw new Error('the store has not started');
  return store.database.read;
};

const touched = new TouchedBuckets();
touched.add(1, 0);

describe('every step of a plan is a search by key', () => {
  it.each([
    ['the lines of an experiment', lineSql.ofExperiment],
    ['the lines of a unit', lineSql.ofUnit],
    ['the first reading', windowSql.first],
    ['the last reading', windowSql.last],
    ['the next reading', windowSql.next],
    ['counting', windowSql.count],
    ['adding up hours', windowSql.hours],
    ['adding up many hours', windowSql.hoursBetween],
    ['all readings', windowSql.samples],
    ...rollupLevels.map((level): [string, string] => [`reading ${level.table}`, windowSql.rollup(level)]),
    ...touched.statements('removed').map(({ sql }): [string, string] => [`building: ${sql.trim().slice(0, 40)}`, sql]),
    ...moveSql.map((sql): [string, string] => ['moving', sql]),
    ...rebuildAroundMovedSql.map((sql): [string, string] => ['building around what was moved', sql]),
    ['flagging', flagSampleSql],
    ['flagging what was moved', flagMovedSampleSql],
    ['contexts', insertContextSql],
    ['events of a window', eventSql.window],
    ['the next event', eventSql.next],
  ])('%s', async (_, sql) => {
    const plan = await explain(read(), sql);
    const tables = plan.filter((step) => /^(SCAN|SEARCH)/.test(step));
    expect(tables).toContainEqual(expect.stringMatching(/^SEARCH .* USING (PRIMARY KEY|INDEX|COVERING INDEX)/));
    // One-row subqueries are scanned; no table is.
    const scanned = tables.filter((step) => /^SCAN (?!(total|CONSTANT ROW|\(subquery)|\d)/.test(step));
    expect(scanned).toEqual([]);
  });

  it('removes rows by key', async () => {
    const statements = [
      lastOfOldest('samples', 'at', 1, 0),
      removeBetween('samples', 'at', 1, 0, 1),
      removeEvents('e1'),
    ];
    for (const statement of statements) {
      const plan = await explain(read(), statement.compile(read()).sql);
      expect(plan.filter((step) => /^SCAN (?!\(subquery|\d)/.test(step))).toEqual([]);
    }
  });

  it('finds the lines of a unit by experiment, source and unit', async () => {
    const plan = await explain(read(), lineSql.ofUnit);
    expect(plan[0]).toContain('series_by_meaning (experiment_uid=? AND source=? AND unit=?)');
  });

  it('reads newest and oldest without sorting', async () => {
    for (const sql of [windowSql.first, windowSql.last, windowSql.samples]) {
      expect(await explain(read(), sql)).toEqual(['SEARCH samples USING PRIMARY KEY (series_id=? AND at>? AND at<?)']);
    }
  });
});
