import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesKey, storedOf, testSeriesStore } from '../testing/test-series.ts';
import { bucketOf } from './rollup-levels.ts';
import { correctSample, removeSamples } from './series-corrections.ts';

interface Sample {
  readonly at: number;
  readonly value: number;
}

const byTimeOf = (a: Sample, b: Sample) => a.at - b.at;

/** The contents of one bucket, computed without the store. */
function expectedBucket(id: number, bucket: number, samples: readonly Sample[]) {
  const sorted = [...samples].sort(byTimeOf);
  const lowest = Math.min(...sorted.map(({ value }) => value));
  const highest = Math.max(...sorted.map(({ value }) => value));
  return {
    series_id: id,
    bucket,
    n: sorted.length,
    sum: sorted.reduce((sum, { value }) => sum + value, 0),
    min: lowest,
    at_min: sorted.find(({ value }) => value === lowest)?.at,
    max: highest,
    at_max: sorted.find(({ value }) => value === highest)?.at,
    first_at: sorted[0]?.at,
    first: sorted[0]?.value,
    last_at: sorted.at(-1)?.at,
    last: sorted.at(-1)?.value,
  };
}

function expectedBuckets(id: number, samples: readonly Sample[], widthMs: number) {
  const groups = Map.groupBy(samples, ({ at }) => bucketOf(at, widthMs));
  return [...groups].sort(([a], [b]) => a - b).map(([bucket, inside]) => expectedBucket(id, bucket, inside));
}

/** Moments near each other and near borders of buckets, so that ties, conflicts and spills over a border come often. */
const moment = fc
  .tuple(
    fc.constantFrom(0, 59_998, 60_000, 599_998, 600_000, 3_599_997, 3_600_000, 7_199_998),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([base, more]) => base + more);
/** Quarters: their sums are exact, whatever the order. */
const value = fc.integer({ min: -8, max: 8 }).map((quarters) => quarters / 4);
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      readings: fc.array(fc.record({ at: moment, value }), { maxLength: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('correct' as const), at: moment, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), from: moment, upTo: moment }) },
);

describe('roll-ups', () => {
  it('equal a fresh build after any order of readings, duplicates, conflicts, corrections and removals', async () => {
    await using store = await testSeriesStore();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        run += 1;
        const key = seriesKey({ experimentUid: `run ${run}` });
        const [id = 0] = await store.ids.of([key], 0);
        for (const step of changes) {
          if (step.do === 'correct') await correctSample(store.database, id, step.at, step.value);
          else if (step.do === 'remove') await removeSamples(store.database, id, step.from, step.upTo);
          else {
            const readings = step.readings.map((reading) => ({ series: 0, ...reading }));
            await store.ingest.write({ series: [key], readings, nowMs: 0 });
          }
        }
        const stored = await storedOf(store, id);
        expect(stored.minutes).toEqual(expectedBuckets(id, stored.samples, 60_000));
        expect(stored.tenMinutes).toEqual(expectedBuckets(id, stored.samples, 600_000));
        expect(stored.hours).toEqual(expectedBuckets(id, stored.samples, 3_600_000));
      }),
      { numRuns: 120 },
    );
  });

  it('have the same sum to the last bit whatever the order of the readings', async () => {
    await using store = await testSeriesStore();
    let run = 0;
    const readings = fc.uniqueArray(
      fc.record({
        at: fc.integer({ min: 0, max: 4_000_000 }),
        value: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      }),
      { selector: ({ at }) => at, minLength: 1, maxLength: 60 },
    );
    const orders = readings.chain((sorted) =>
      fc.tuple(
        fc.shuffledSubarray(sorted, { minLength: sorted.length }),
        fc.integer({ min: 1, max: 20 }),
        fc.constant(sorted),
      ),
    );
    await fc.assert(
      fc.asyncProperty(orders, async ([shuffled, size, sorted]) => {
        run += 1;
        const keys = [seriesKey({ unit: `inorder${run}` }), seriesKey({ unit: `shuffled${run}` })];
        const [one = 0, other = 0] = await store.ids.of(keys, 0);
        const write = (series: number, some: readonly Sample[]) =>
          store.ingest.write({ series: keys, readings: some.map((reading) => ({ series, ...reading })), nowMs: 0 });
        await write(0, [...sorted].sort(byTimeOf));
        for (let from = 0; from < shuffled.length; from += size) await write(1, shuffled.slice(from, from + size));
        const { samples: _, flags: __, ...inOrder } = await storedOf(store, one);
        const { samples: ___, flags: ____, ...inAnyOrder } = await storedOf(store, other);
        const withoutId = (buckets: typeof inOrder) => JSON.stringify(buckets).replaceAll(/"series_id":\d+/g, '');
        expect(withoutId(inAnyOrder)).toBe(withoutId(inOrder));
      }),
      { numRuns: 60 },
    );
  });
});
