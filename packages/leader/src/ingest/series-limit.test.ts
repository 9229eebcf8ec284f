import type { FeedRecord, FeedSeries } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { mostSeries } from '../series/series-limit.ts';
import { answerWith, feedSeries, record, type TestIngest, testIngest } from '../testing/test-ingest.ts';

const flood = (count: number, seriesOf: (index: number) => Partial<FeedSeries>, firstSeq = 1) => ({
  series: Array.from({ length: count }, (_, index) => feedSeries(seriesOf(index))),
  records: Array.from({ length: count }, (_, index): FeedRecord => record.sample(firstSeq + index, { series: index })),
});
const rowsOf = async ({ all }: TestIngest, table: string) => all(`select * from ${table}`);
const seriesOf = async ({ all }: TestIngest, unit: string) =>
  (await all(`select count(*) as count from series where unit = '${unit}'`))[0]?.count;

describe('series of one unit', () => {
  it('are limited: readings of further ones are dropped, which is logged and recorded once, and the feed continues', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const { series, records } = flood(4_000, (index) => ({ channel: `${index}` }));
    await store.take('rx01', answerWith([...records, record.event(4_001)], series));
    expect(await store.ingest.mark('rx01')).toMatchObject({ seq: 4_001 });
    expect(await seriesOf(store, 'rx01')).toBe(mostSeries);
    expect(await rowsOf(store, 'samples')).toHaveLength(mostSeries);
    expect(await rowsOf(store, 'events')).toHaveLength(1);
    const gap = { reactor_unit: 'rx01', reason: 'series_limit', from_seq: mostSeries + 1, to_seq: 4_000 };
    expect(await rowsOf(store, 'gaps')).toEqual([expect.objectContaining(gap)]);
    expect(await rowsOf(store, 'logs')).toEqual([expect.objectContaining({ level: 'ERROR', reactor_unit: 'rx01' })]);

    const again = flood(4_000, (index) => ({ channel: `more ${index}` }), 4_002);
    await store.take('rx01', answerWith(again.records, again.series));
    expect(await seriesOf(store, 'rx01')).toBe(mostSeries);
    expect(await rowsOf(store, 'gaps')).toEqual([expect.objectContaining({ ...gap, to_seq: 8_001 })]);
    expect(await rowsOf(store, 'logs')).toHaveLength(1);
  });

  it('that are there go on, after a restart of the leader too, and so do other units and experiments', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1', 'e2');
    const { series, records } = flood(mostSeries + 1, (index) => ({ channel: `${index}` }));
    await store.take('rx01', answerWith(records, series));
    store.series.ids.forget();
    await store.take('rx01', answerWith([record.sample(1_001)], [feedSeries({ channel: '0' })]));
    await store.take('rx01', answerWith([record.sample(1_002)], [feedSeries({ experiment_uid: 'e2' })]));
    await store.take('rx02', answerWith([record.sample(1)], [feedSeries({ channel: 'new' })]));
    expect(await rowsOf(store, 'samples')).toHaveLength(mostSeries + 3);
  });

  it('of unknown experiments count together', async () => {
    await using store = await testIngest();
    const { series, records } = flood(mostSeries + 100, (index) => ({ experiment_uid: `invented ${index}` }));
    await store.take('rx01', answerWith(records, series));
    expect(await seriesOf(store, 'rx01')).toBe(mostSeries);
    expect(await store.ingest.mark('rx01')).toMatchObject({ seq: mostSeries + 100 });
  });
});
