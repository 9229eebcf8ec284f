import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesKey, testSeriesStore } from '../testing/test-series.ts';
import { Extremes, gridOver, type Points } from './extremes.ts';
import { rollupLevels } from './rollup-levels.ts';
import { WindowReader } from './window-reader.ts';

describe('a grid', () => {
  it('covers all between first and last within the limit of groups, no bucket in two of them', () => {
    const spans = fc.record({
      firstAt: fc.integer({ min: 0, max: 1e9 }),
      spanMs: fc.integer({ min: 0, max: 1e9 }),
      groups: fc.integer({ min: 1, max: 500 }),
      stepMs: fc.constantFrom(1, ...rollupLevels.map(({ widthMs }) => widthMs)),
    });
    fc.assert(
      fc.property(spans, ({ firstAt, spanMs, groups, stepMs }) => {
        const grid = gridOver(firstAt, firstAt + spanMs, groups, stepMs);
        expect(grid.startMs).toBeLessThanOrEqual(firstAt);
        expect(grid.startMs + grid.groups * grid.widthMs).toBeGreaterThan(firstAt + spanMs);
        expect(grid.groups).toBeLessThanOrEqual(groups);
        expect([grid.startMs % stepMs, grid.widthMs % stepMs]).toEqual([0, 0]);
      }),
    );
  });
});

type Row = readonly [at: number, value: number];

/** The same rule on the plain readings. `level` -1: the groups begin and end at any millisecond. */
function reducedByHand(inside: readonly Row[], target: number, level: number): Points {
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last) return { at: [], value: [] };
  const groups = Math.floor((target - 2) / 2);
  const extremes = new Extremes(gridOver(first[0], last[0], groups, rollupLevels[level]?.widthMs ?? 1));
  for (const [at, value] of inside) extremes.add(at, value);
  return extremes.between(first[0], first[1], last[0], last[1]);
}

describe('a reduced window', () => {
  it('loses no reading in the last or first millisecond of a bucket where the window breaks one', async () => {
    await using store = await testSeriesStore();
    using connection = new DatabaseSync(store.path, { readOnly: true });
    const spikes = [59_999, 60_000, 3_959_999, 3_960_000];
    const flat = Array.from({ length: 400 }, (_, index) => ({ series: 0, at: index * 10_000 + 5_000, value: 0 }));
    const readings = [...flat, ...spikes.map((at) => ({ series: 0, at, value: 1 + (at % 2) }))];
    await store.ingest.write({ series: [seriesKey()], readings, nowMs: 0 });
    const ids = await store.ids.of([seriesKey()], 0);
    const points = new WindowReader(connection).reduced(ids, { after: 30_000, upTo: 3_980_000 }, 60);
    // Of two spikes in one stretch of time the higher is kept.
    expect(points.at).toEqual(expect.arrayContaining([59_999, 3_959_999]));
  });

  it('is the same by roll-ups as by reading everything, to the point', async () => {
    await using store = await testSeriesStore();
    using connection = new DatabaseSync(store.path, { readOnly: true });
    const reader = new WindowReader(connection);
    let run = 0;
    // Dense enough for many readings in a bucket; hours long, so that each level has whole buckets and broken ones.
    const cases = fc.record({
      values: fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 200, maxLength: 400 }),
      stepMs: fc.constantFrom(10_000, 45_000, 130_000),
      // Also in the last and the first millisecond of a bucket.
      phaseMs: fc.constantFrom(-1, 0, 1),
      // Parts of the whole time.
      begin: fc.double({ min: 0, max: 0.6, noNaN: true }),
      length: fc.double({ min: 0.2, max: 1.2, noNaN: true }),
      target: fc.integer({ min: 4, max: 120 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ values, stepMs, phaseMs, begin, length, target }) => {
        run += 1;
        const key = seriesKey({ experimentUid: `run ${run}` });
        const rows = values.map((value, index): Row => [(index + 1) * stepMs + phaseMs, value]);
        const readings = rows.map(([at, value]) => ({ series: 0, at, value }));
        await store.ingest.write({ series: [key], readings, nowMs: 0 });
        const ids = await store.ids.of([key], 0);
        const allMs = values.length * stepMs;
        const after = Math.round(begin * allMs);
        const upTo = after + Math.round(length * allMs);
        const inside = rows.filter(([at]) => at > after && at <= upTo);
        const allowed = [-1, 0, 1, 2].map((level) => reducedByHand(inside, target, level));
        expect(allowed).toContainEqual(reader.reduced(ids, { after, upTo }, target));
      }),
      { numRuns: 150 },
    );
  });
});
