import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesKey, type TestSeriesStore, testSeriesStore } from '../testing/test-series.ts';
import { type ReadAnswer, type SeriesQuestion, SeriesReader } from './series-reader.ts';

const noon = Date.UTC(2026, 4, 2, 12);
const hourMs = 3_600_000;

const question = (more: Partial<SeriesQuestion> = {}): SeriesQuestion => ({
  experimentUid: 'e1',
  source: 'od',
  lookbackHours: 4,
  targetPoints: 720,
  nowMs: noon,
  ...more,
});

const put = (
  store: TestSeriesStore,
  key: Parameters<typeof seriesKey>[0],
  rows: readonly (readonly [number, number])[],
) =>
  store.ingest.write({
    series: [seriesKey(key)],
    readings: rows.map(([at, value]) => ({ series: 0, at, value })),
    nowMs: 0,
  });

interface Answer {
  readonly series: string[];
  readonly data: { readonly x: string; readonly y: number }[][];
}

const jsonOf = ({ bytes }: ReadAnswer): string => new TextDecoder().decode(bytes);

const asked = (store: TestSeriesStore, more: Partial<SeriesQuestion> = {}): Answer =>
  JSON.parse(jsonOf(store.reader.answer(question(more))));

/** The first line of the answer as [ms, value]. */
const pointsOf = ({ data: [points = []] }: Answer) => points.map(({ x, y }): [number, number] => [Date.parse(x), y]);

describe('an answer', () => {
  it('holds every reading of the window as text, lines by unit and then channel', async () => {
    await using store = await testSeriesStore();
    await put(store, { unit: 'rx02', channel: '2' }, [[noon - 1, 3]]);
    await put(store, { unit: 'rx02', channel: '1' }, [[noon - 1, 2]]);
    await put(store, { unit: 'rx01' }, [
      [noon - 4 * hourMs, 9],
      [noon - 4 * hourMs + 1, 0.123456789],
      [noon, -0.00000004],
      [noon + 1, 9],
    ]);
    await put(store, { unit: 'rx03' }, [[noon - 5 * hourMs, 9]]);
    await put(store, { experimentUid: 'e2' }, [[noon - 1, 9]]);
    await put(store, { source: 'raw_od' }, [[noon - 1, 9]]);
    const answer = store.reader.answer(question());
    expect(jsonOf(answer)).toBe(
      '{"series":["rx01-1","rx02-1","rx02-2"],"data":[' +
        '[{"x":"2026-05-02T08:00:00.001Z","y":0.1234568},{"x":"2026-05-02T12:00:00.000Z","y":0}],' +
        '[{"x":"2026-05-02T11:59:59.999Z","y":2}],[{"x":"2026-05-02T11:59:59.999Z","y":3}]]}',
    );
    expect(answer).toMatchObject({
      targetPoints: 720,
      // Then the reading that now lies in the future enters the window.
      changesAtMs: noon + 1,
    });
    expect(asked(store, { unit: 'rx02' }).series).toEqual(['rx02-1', 'rx02-2']);
    expect(asked(store, { channel: '2' }).series).toEqual(['rx02-2']);
  });

  it('is empty for an unknown source, and for lookback 0', async () => {
    await using store = await testSeriesStore();
    await put(store, {}, [[noon, 1]]);
    for (const more of [{ experimentUid: 'x' }, { unit: '$broadcast' }, { source: 'x' }, { lookbackHours: 0 }]) {
      expect(jsonOf(store.reader.answer(question(more)))).toBe('{"series":[],"data":[]}');
    }
  });

  it('reaches back to the first reading for any large lookback', async () => {
    await using store = await testSeriesStore();
    await put(store, {}, [
      [0, 1],
      [noon, 2],
    ]);
    for (const lookbackHours of [1e5 * 24, 1e300, Number.POSITIVE_INFINITY]) {
      expect(pointsOf(asked(store, { lookbackHours }))).toEqual([
        [0, 1],
        [noon, 2],
      ]);
    }
  });

  it('labels a source without channels by the unit, and rounds to the decimals of the source', async () => {
    await using store = await testSeriesStore();
    const line = { channel: null, angle: null };
    await put(store, { ...line, source: 'temperature' }, [[noon, 30.125]]);
    await put(store, { ...line, source: 'growth_rate' }, [[noon, -0.123456]]);
    expect(asked(store, { source: 'temperature' })).toEqual({
      series: ['rx01'],
      data: [[{ x: '2026-05-02T12:00:00.000Z', y: 30.13 }]],
    });
    expect(pointsOf(asked(store, { source: 'growth_rate' }))).toEqual([[noon, -0.12346]]);
  });

  it('joins what one channel measured at different angles and by the shown derivations into one line', async () => {
    await using store = await testSeriesStore();
    const derivation = { name: 'fit', version: '1', parameters: {} };
    await put(store, { angle: 90 }, [
      [noon - 3, 1],
      [noon - 1, 3],
    ]);
    await put(store, { angle: 45, derivation: { key: 'a', ...derivation } }, [[noon - 2, 2]]);
    await put(store, { angle: 45, derivation: { key: 'b', ...derivation } }, [[noon, 4]]);
    await store.database.write((transaction) =>
      transaction
        .updateTable('series')
        .set({ hidden: 1 })
        .where('derivation_id', '=', (derived) => derived.selectFrom('derivations').select('id').where('key', '=', 'b'))
        .execute(),
    );
    const answer = asked(store);
    expect(answer.series).toEqual(['rx01-1']);
    expect(pointsOf(answer).map(([, value]) => value)).toEqual([1, 2, 3]);
    expect(pointsOf(asked(store, { targetPoints: 2 })).map(([, value]) => value)).toEqual([1, 3]);
  });

  it('stays below its limit by reducing further, and reports it', async () => {
    await using store = await testSeriesStore();
    const rows = Array.from({ length: 2_000 }, (_, index): [number, number] => [noon - index * 1000, Math.sin(index)]);
    await put(store, {}, rows);
    await put(store, { channel: '2' }, rows);
    const limit = 64 * 1024;
    const reader = SeriesReader.open({ path: store.path }, limit);
    const { bytes, targetPoints } = reader.answer(question({ targetPoints: 1_000_000 }));
    expect(targetPoints).toBeLessThan(1_000);
    expect(bytes.length).toBeLessThanOrEqual(limit);
    expect(bytes.length).toBeGreaterThan(limit / 2);
    expect(reader.answer(question({ targetPoints: 300 })).targetPoints).toBe(300);
    // What fits anyway is not reduced because of a large wish.
    expect(reader.answer(question({ targetPoints: 1_000_000, lookbackHours: 0.1 })).targetPoints).toBe(1_000_000);
    reader.close();
  });
});

describe('a large answer', () => {
  it('has the same lines part by part as in one piece, and stays right for as long', async () => {
    await using store = await testSeriesStore();
    const rows = Array.from({ length: 500 }, (_, index): [number, number] => [noon - index * 1000, Math.sin(index)]);
    for (const channel of ['1', '2', '3', '4']) await put(store, { channel }, rows);
    await put(store, { unit: 'rx02' }, [[noon - 100 * 3_600_000, 1]]);
    for (const targetPoints of [30_000, 100]) {
      const asked = question({ targetPoints });
      const whole = store.reader.answer(asked);
      expect(store.reader.answerOrPlan(asked, 4 * targetPoints)).toEqual(whole);
      const plan = store.reader.answerOrPlan(asked, Math.min(2_000, 4 * targetPoints) - 1);
      if (!('parts' in plan)) throw new Error('There is no plan.');
      expect(plan.parts).toHaveLength(targetPoints === 30_000 ? 2 : 1);
      expect(plan).toMatchObject({ targetPoints, changesAtMs: whole.changesAtMs });
      const parts = plan.parts.map((part) => new TextDecoder().decode(store.reader.lines(part)));
      const text = `{"series":${JSON.stringify(plan.labels)},"data":[${parts.join(',')}]}`;
      expect(text).toBe(new TextDecoder().decode(whole.bytes));
    }
  });
});

describe('a reduced answer', () => {
  it('shows a spike of one sample in ten days of 5-second data, up or down, wherever it is', async () => {
    await using store = await testSeriesStore();
    const steps = 10 * 17_280;
    const spikes = new Map([
      [1, 5],
      [86_400, -5],
      [steps - 2, 7],
    ]);
    const begin = noon - steps * 5_000;
    for (let from = 0; from < steps; from += 5_000) {
      const rows = Array.from({ length: Math.min(5_000, steps - from) }, (_, more): [number, number] => {
        const step = from + more;
        return [begin + (step + 1) * 5_000, spikes.get(step) ?? Math.sin(step / 1_000)];
      });
      await put(store, {}, rows);
    }
    for (const targetPoints of [720, 100, 8]) {
      const points = pointsOf(asked(store, { lookbackHours: 100_000, targetPoints }));
      expect(points.length).toBeLessThanOrEqual(targetPoints);
      for (const [step, value] of spikes) expect(points).toContainEqual([begin + (step + 1) * 5_000, value]);
    }
    expect(pointsOf(asked(store, { lookbackHours: 100_000 })).length).toBeGreaterThan(360);
  });

  it('is the newest reading for 1 point and the ends for 2 and 3', async () => {
    await using store = await testSeriesStore();
    await put(
      store,
      {},
      [0, 5, 1, 9, 2].map((value, index): [number, number] => [noon - 400 + index * 100, value]),
    );
    const values = (targetPoints: number) => pointsOf(asked(store, { targetPoints })).map(([, value]) => value);
    expect(values(1)).toEqual([2]);
    expect(values(2)).toEqual([0, 2]);
    expect(values(3)).toEqual([0, 2]);
    expect(values(4)).toEqual([0, 9, 2]);
    expect(values(5)).toEqual([0, 5, 1, 9, 2]);
  });

  it('keeps its promises for any readings, window and number of points', async () => {
    await using store = await testSeriesStore();
    let run = 0;
    const cases = fc.record({
      // Gaps from milliseconds to days: every level of roll-ups takes part.
      steps: fc.array(
        fc.tuple(fc.constantFrom(1, 900, 20_000, 400_000, 5_000_000, 90_000_000), fc.integer({ min: 1, max: 9 })),
        {
          minLength: 1,
          maxLength: 300,
        },
      ),
      values: fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 50 }),
      targetPoints: fc.integer({ min: 1, max: 60 }),
      lookback: fc.double({ min: 0, max: 1.2, noNaN: true }),
      future: fc.double({ min: 0, max: 0.3, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ steps, values, targetPoints, lookback, future }) => {
        run += 1;
        let at = noon;
        const rows = steps.map(([stepMs, times], index): [number, number] => {
          at += stepMs * times;
          return [at, values[index % values.length] ?? 0];
        });
        await put(store, { experimentUid: `run ${run}` }, rows);
        const nowMs = Math.round(at - future * (at - noon));
        const lookbackHours = (lookback * (at - noon)) / hourMs;
        const points = pointsOf(asked(store, { experimentUid: `run ${run}`, nowMs, lookbackHours, targetPoints }));
        const inside = rows.filter(([moment]) => moment > nowMs - lookbackHours * hourMs && moment <= nowMs);
        const stored = new Map(inside);

        expect(points.length).toBeLessThanOrEqual(targetPoints);
        if (inside.length <= targetPoints) expect(points).toEqual(inside);
        for (const [moment, value] of points) expect(stored.get(moment)).toBe(value);
        const moments = points.map(([moment]) => moment);
        expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b));
        expect(points.at(-1)).toEqual(inside.at(-1));
        if (targetPoints >= 2) expect(points[0]).toEqual(inside[0]);
        if (targetPoints < 4 || inside.length === 0) return;
        const kept = points.map(([, value]) => value);
        const all = inside.map(([, value]) => value);
        expect(Math.min(...kept)).toBe(Math.min(...all));
        expect(Math.max(...kept)).toBe(Math.max(...all));
      }),
      { numRuns: 150 },
    );
  });
});
