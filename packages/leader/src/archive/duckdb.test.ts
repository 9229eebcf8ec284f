import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { realClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { seriesKey, testSeriesStore } from '../testing/test-series.ts';
import { Archive } from './archive.ts';
import { monthNamed } from './month.ts';

const month = monthNamed('2026-08') ?? expect.unreachable();
const document = new URL('../../../../docs/archive.md', import.meta.url);

/** The first example of a language in the description. */
const exampleOf = async (language: string): Promise<string> =>
  new RegExp(`\`\`\`${language}\n([^\`]+)\`\`\``).exec(await readFile(document, 'utf8'))?.[1] ?? expect.unreachable();

describe('a sealed month in DuckDB', () => {
  it('is what the store had: by the example of the description, and row by row', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-duckdb-'));
    await using store = await testSeriesStore();
    const { database, path } = store;
    await database.write((transaction) =>
      transaction.insertInto('experiments').values({ uid: 'e1', name: 'exp 1', created_at: 0 }).execute(),
    );
    const readings = Array.from({ length: 30_000 }, (_, index) => ({
      series: index % 2,
      at: month.fromMs + index * 60_001,
      value: Math.sin(index) / 3,
      ...(index % 500 === 0 && { flags: 4 }),
    }));
    const series = [seriesKey(), seriesKey({ unit: 'rx02', source: 'temperature', channel: null, angle: null })];
    await store.ingest.write({ series, readings, nowMs: month.fromMs });
    const rows = await database.read.selectFrom('samples').selectAll().orderBy('series_id').orderBy('at').execute();
    const options = {
      database,
      store: { path },
      version: 'test',
      leaderId: 'l1',
      workFolder: join(folder, 'work'),
      now: () => 0,
    };
    const archive = new Archive({ ...options, wire: realClock(), graceMs: 0 });
    await archive.seal(month, join(folder, 'months'), new AbortController().signal, () => {});

    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const all = async (sql: string) =>
      (await connection.runAndReadAll(sql.replaceAll('/srv/months', join(folder, 'months')))).getRowsJS();
    try {
      const found = await all(
        "select series, epoch_ms(timestamp), value, flags from read_parquet('/srv/months/2026-*/*.parquet') order by 1, 2",
      );
      expect(found.map(([id, at, value]) => [Number(id), Number(at), value])).toEqual(
        rows.map(({ series_id, at, value }) => [series_id, at, value]),
      );
      expect(found.filter(([, , , flags]) => flags === 4)).toHaveLength(60);
      const hours = new Map<number, number[]>();
      for (const { at, value } of readings.filter(({ series }) => series === 0)) {
        const hour = Math.floor(at / 3_600_000);
        hours.set(hour, [...(hours.get(hour) ?? []), value]);
      }
      const means = (await all(await exampleOf('sql'))).map(([unit, hour, od]) => {
        if (!(hour instanceof Date)) throw new TypeError('An hour is not a time.');
        return [unit, hour.getTime() / 3_600_000, Number(od).toFixed(9)];
      });
      expect(means).toEqual(
        [...hours].map(([hour, values]) => [
          'rx01',
          hour,
          (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(9),
        ]),
      );
      // Each row group has one series, and statistics that are its ends.
      const groups = await all(
        "select stats_min_value, stats_max_value, compression from parquet_metadata('/srv/months/2026-*/*.parquet') where path_in_schema = 'series'",
      );
      expect(groups.length).toBeGreaterThan(3);
      for (const [lowest, highest, compression] of groups) {
        expect(lowest).toBe(highest);
        expect(compression).toBe('ZSTD');
      }
    } finally {
      connection.closeSync();
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
