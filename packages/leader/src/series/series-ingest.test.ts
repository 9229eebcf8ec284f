import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesKey, storedOf, testSeriesStore } from '../testing/test-series.ts';
import type { ReadingContext } from './context-rows.ts';
import { ExperimentData } from './experiment-data.ts';
import { sampleFlags } from './sample-flags.ts';
import { removeSamples } from './series-corrections.ts';
import { type FeedMark, ReadingRefused } from './series-ingest.ts';

const mark: FeedMark = { unit: 'rx01', epoch: 'epoch 1', seq: 10 };
const idOf = async (store: Awaited<ReturnType<typeof testSeriesStore>>, key = seriesKey()) =>
  (await store.ids.of([key], 0))[0] ?? 0;

describe('a batch', () => {
  it('stores readings and the mark together, or nothing', async () => {
    await using store = await testSeriesStore();
    const series = [seriesKey()];
    const readings = [{ series: 0, at: 1_000, value: 0.5 }];
    const broken = { sql: 'insert into no_such_table values (?)', rows: [[1]] };
    await expect(store.ingest.write({ series, readings, mark, also: [broken], nowMs: 5 })).rejects.toMatchObject({
      name: 'StoreError',
    });
    const id = await idOf(store);
    expect((await storedOf(store, id)).samples).toEqual([]);
    expect(await store.database.read.selectFrom('feed_marks').selectAll().execute()).toEqual([]);

    await store.ingest.write({ series, readings, mark, nowMs: 5 });
    expect((await storedOf(store, id)).samples).toEqual([{ at: 1_000, value: 0.5 }]);
    expect(await store.database.read.selectFrom('feed_marks').selectAll().execute()).toEqual([
      { reactor_unit: 'rx01', epoch: 'epoch 1', seq: 10, updated_at: 5, generation: 0 },
    ]);
  });

  it('never moves a mark back', async () => {
    await using store = await testSeriesStore();
    for (const seq of [10, 7, 12, 3]) {
      await store.ingest.write({ series: [], readings: [], mark: { ...mark, seq }, nowMs: seq });
    }
    const marks = await store.database.read.selectFrom('feed_marks').select(['seq', 'updated_at']).execute();
    expect(marks).toEqual([{ seq: 12, updated_at: 12 }]);
  });

  it('refuses an invalid reading before anything is written', async () => {
    await using store = await testSeriesStore();
    const series = [seriesKey()];
    for (const wrong of [{ value: Number.POSITIVE_INFINITY }, { at: 1.5 }, { at: -1 }, { series: 1 }]) {
      const readings = [
        { series: 0, at: 1, value: 1 },
        { series: 0, at: 2, value: 1, ...wrong },
      ];
      await expect(store.ingest.write({ series, readings, nowMs: 0 })).rejects.toBeInstanceOf(ReadingRefused);
    }
    expect((await storedOf(store, await idOf(store))).samples).toEqual([]);
  });
});

describe('a reading', () => {
  it('takes the next free millisecond, flagged, when its own is taken by another value', async () => {
    await using store = await testSeriesStore();
    const readings = [
      { series: 0, at: 59_999, value: 1 },
      { series: 0, at: 60_000, value: 2 },
      { series: 0, at: 59_999, value: 3, flags: sampleFlags.saturated },
      { series: 0, at: 60_001, value: 4 },
    ];
    // The second time everything is known, also that 3 stands at 60,001 and 4 at 60,002.
    for (const _ of [1, 2]) await store.ingest.write({ series: [seriesKey()], readings, nowMs: 0 });
    const stored = await storedOf(store, await idOf(store));
    expect(stored.samples.map(({ at, value }) => [at, value])).toEqual([
      [59_999, 1],
      [60_000, 2],
      [60_001, 3],
      [60_002, 4],
    ]);
    expect(stored.flags).toEqual([
      { at: 60_001, flags: sampleFlags.moved | sampleFlags.saturated, moved_from: 59_999 },
      { at: 60_002, flags: sampleFlags.moved, moved_from: 60_001 },
    ]);
    expect(stored.minutes.map(({ bucket, n }) => [bucket, n])).toEqual([
      [0, 1],
      [60_000, 3],
    ]);
  });

  it('is stored exactly once, whatever comes in which order and how often', async () => {
    await using store = await testSeriesStore();
    let run = 0;
    const reading = fc.record({ at: fc.integer({ min: 0, max: 6 }), value: fc.integer({ min: 0, max: 4 }) });
    const batches = fc.array(fc.array(reading, { maxLength: 10 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, async (sent) => {
        run += 1;
        const key = seriesKey({ experimentUid: `run ${run}` });
        for (const batch of sent) {
          const readings = batch.map((one) => ({ series: 0, ...one }));
          await store.ingest.write({ series: [key], readings, nowMs: 0 });
        }
        const { samples, flags } = await storedOf(store, await idOf(store, key));
        const origin = new Map(flags.map(({ at, moved_from }) => [at, moved_from]));
        const stored = samples.map(({ at, value }) => `${origin.get(at) ?? at}: ${value}`);
        expect(stored.sort()).toEqual([...new Set(sent.flat().map(({ at, value }) => `${at}: ${value}`))].sort());
      }),
      { numRuns: 150 },
    );
  });
});

describe('series', () => {
  it('are one for each meaning, nothing counting as a value', async () => {
    await using store = await testSeriesStore();
    const derivation = { key: 'abc', name: 'ekf', version: '1', parameters: { q: 1 } };
    const keys = [
      seriesKey(),
      seriesKey({ channel: null }),
      seriesKey({ channel: null, angle: null }),
      seriesKey({ derivation }),
      seriesKey({ unit: 'rx02' }),
    ];
    const ids = await store.ids.of([...keys, ...keys], 0);
    expect(new Set(ids).size).toBe(keys.length);
    store.ids.forget();
    expect(await store.ids.of(keys, 1)).toEqual(ids.slice(0, keys.length));
  });

  it('remember a context only when it changes', async () => {
    await using store = await testSeriesStore();
    const context: ReadingContext = { calibrationName: 'one', calibrationHash: 'a1', irLedIntensity: 80 };
    const series = [
      seriesKey({ context }),
      seriesKey({ context: { calibrationName: 'two', calibrationHash: 'b2', irLedIntensity: 80 } }),
    ];
    const readings = [0, 0, 1, 1, 0].map((entry, index) => ({ series: entry, at: index, value: index }));
    await store.ingest.write({ series, readings, nowMs: 0 });
    await store.ingest.write({ series, readings: [{ series: 0, at: 9, value: 1 }], nowMs: 0 });
    const rows = await store.database.read
      .selectFrom('series_context')
      .select(['since', 'calibration_name', 'angle'])
      .orderBy('since')
      .execute();
    expect(rows.map((row) => [row.since, row.calibration_name, row.angle])).toEqual([
      [0, 'one', 90],
      [2, 'two', 90],
      [4, 'one', 90],
    ]);
  });

  it('lose exactly the stretch that is removed, both its ends included', async () => {
    await using store = await testSeriesStore();
    const moments = [0, 1, 2, 3_599_999, 3_600_000, 3_600_001];
    const readings = moments.map((at) => ({ series: 0, at, value: at }));
    await store.ingest.write({ series: [seriesKey()], readings, nowMs: 0 });
    const id = await idOf(store);
    await removeSamples(store.database, id, 1, 3_600_000);
    const { samples, hours } = await storedOf(store, id);
    expect(samples.map(({ at }) => at)).toEqual([0, 3_600_001]);
    expect(hours.map(({ n }) => n)).toEqual([1, 1]);
  });

  it('of a removed experiment leave nothing behind, and others alone', async () => {
    await using store = await testSeriesStore();
    const series = [seriesKey(), seriesKey({ experimentUid: 'e2' })];
    const readings = [0, 3_600_000, 3_600_000].flatMap((at, index) => [
      { series: 0, at, value: index },
      { series: 1, at, value: index },
    ]);
    await store.ingest.write({ series, readings, nowMs: 0 });
    const [removed = 0, kept = 0] = await store.ids.of(series, 0);
    const data = new ExperimentData({
      database: store.database,
      ids: store.ids,
      settled: async () => {},
      now: () => 0,
    });
    expect(await data.count('e1')).toBe(3);
    const batches: number[] = [];
    await data.remove('e1', new AbortController().signal, (rows) => batches.push(rows));
    expect(batches).toEqual([3]);
    expect(await storedOf(store, removed)).toEqual({ samples: [], flags: [], minutes: [], tenMinutes: [], hours: [] });
    expect((await storedOf(store, kept)).samples).toHaveLength(3);
    const left = await store.database.read.selectFrom('series').select('experiment_uid').execute();
    expect(left).toEqual([{ experiment_uid: 'e2' }]);
  });
});
