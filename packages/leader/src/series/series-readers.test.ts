import { DatabaseSync } from 'node:sqlite';
import { memoryLog, readsOver, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import type { LeaderTables } from '../store/tables.ts';
import { seriesKey, testSeriesStore } from '../testing/test-series.ts';
import type { SeriesAnswer } from './reader-protocol.ts';
import { SeriesAnswers } from './series-answers.ts';
import { SeriesChanges } from './series-changes.ts';
import type { ReadPlan } from './series-reader.ts';
import { SeriesReaders } from './series-readers.ts';

const question = { experimentUid: 'e1', source: 'od', lookbackHours: 1, targetPoints: 720, nowMs: 1_000 };
const whole = (answer: SeriesAnswer | ReadPlan): SeriesAnswer => {
  if ('parts' in answer) throw new Error('The answer is small: it needs no plan.');
  return answer;
};
const textOf = (answer: SeriesAnswer | ReadPlan) => new TextDecoder().decode(whole(answer).bytes);

async function started() {
  const store = await testSeriesStore();
  const wire = new VirtualClock();
  const log = memoryLog();
  const readers = new SeriesReaders({ place: { path: store.path }, wire, log, threads: 2 });
  await readers.start();
  return {
    ...store,
    wire,
    log,
    readers,
    [Symbol.asyncDispose]: async () => {
      await readers.stop();
      await store[Symbol.asyncDispose]();
    },
  };
}

describe('reading threads', () => {
  it('answer many requests, each from all data committed before', async () => {
    await using store = await started();
    for (const at of [1, 2, 3]) {
      await store.ingest.write({ series: [seriesKey()], readings: [{ series: 0, at, value: at }], nowMs: 0 });
      const answers = await Promise.all(Array.from({ length: 5 }, () => store.readers.answer(question)));
      for (const answer of answers) expect(JSON.parse(textOf(answer)).data[0]).toHaveLength(at);
      expect(new Set(answers.map((answer) => whole(answer).etag)).size).toBe(1);
    }
  });

  it('stream an answer that is too large for memory, and end when the caller has gone', async () => {
    await using store = await started();
    const channels = ['1', '2', '3', '4'];
    const series = channels.map((channel) => seriesKey({ channel }));
    const readings = Array.from({ length: 100_000 }, (_, index) => ({
      series: index % 4,
      at: 1 + Math.floor(index / 4),
      value: Math.sin(index),
    }));
    await store.ingest.write({ series, readings, nowMs: 0 });
    const large = { ...question, targetPoints: 50_000, nowMs: 30_000 };
    const { readers } = store;
    const answers = new SeriesAnswers({ readers, changes: new SeriesChanges(), now: () => large.nowMs });
    const ending = new AbortController();
    const plan = await answers.current(large, ending.signal);
    if (!('parts' in plan)) throw new Error('There is no plan.');
    const pieces: string[] = [];
    for await (const piece of answers.streamed(plan, ending.signal))
      pieces.push(typeof piece === 'string' ? piece : new TextDecoder().decode(piece));
    expect(JSON.parse(pieces.join(''))).toEqual(JSON.parse(new TextDecoder().decode(store.reader.answer(large).bytes)));
    const unwanted = answers.streamed(plan, ending.signal);
    ending.abort();
    await expect(Array.fromAsync(unwanted)).rejects.toThrow();
  });

  it('read rows for others too, each time from all that was committed before', async () => {
    await using store = await started();
    const read = readsOver<LeaderTables>((sql, values) => store.readers.rows({ sql, values }));
    const names = () => read.selectFrom('workers').select('reactor_unit').where('added_at', '>', 1).execute();
    expect(await names()).toEqual([]);
    const worker = { reactor_unit: 'rx01', is_active: 1, model_name: null, model_version: null } as const;
    await store.database.write((transaction) =>
      transaction
        .insertInto('workers')
        .values({ ...worker, added_at: 2 })
        .execute(),
    );
    expect(await names()).toEqual([{ reactor_unit: 'rx01' }]);
    await expect(store.readers.rows({ sql: 'select * from nowhere', values: [] })).rejects.toMatchObject({
      code: 'query_failed',
    });
    await expect(store.readers.rows({ sql: 'delete from workers', values: [] })).rejects.toMatchObject({
      code: 'query_failed',
    });
    expect(await names()).toHaveLength(1);
  });

  it('fail a question that cannot be answered, and answer the next', async () => {
    await using store = await started();
    await store.ingest.write({ series: [seriesKey()], readings: [{ series: 0, at: 1, value: 1 }], nowMs: 0 });
    await store.readers.answer(question);
    using connection = new DatabaseSync(store.path);
    connection.exec('alter table samples rename to elsewhere');
    await expect(store.readers.answer(question)).rejects.toMatchObject({ name: 'ReaderFailed' });
    connection.exec('alter table elsewhere rename to samples');
    expect(textOf(await store.readers.answer(question))).toContain('"y":1}');
    expect(store.log.lines).toEqual([]);
  });

  it('drop requests without a waiting caller', async () => {
    await using store = await started();
    await expect(store.readers.answer(question, () => false)).rejects.toMatchObject({ code: 'abandoned' });
  });

  it('end when they have rested long enough, and come back with the next question', async () => {
    await using store = await started();
    await store.readers.answer(question);
    expect(store.wire.pendingTimers).toBe(1);
    await store.wire.advance(60_000);
    expect(textOf(await store.readers.answer(question))).toBe('{"series":[],"data":[]}');
    expect(store.log.lines).toEqual([]);
  });

  it('refuse requests before the start and after the end, and pending ones at the end', async () => {
    await using store = await started();
    const waiting = Array.from({ length: 6 }, () => store.readers.answer(question));
    const settled = Promise.allSettled(waiting);
    await store.readers.stop();
    for (const one of await settled)
      expect(one).toMatchObject({ status: 'rejected', reason: { name: 'ReaderFailed' } });
    await expect(store.readers.answer(question)).rejects.toMatchObject({ code: 'stopped' });
  });

  it('are replaced when they cannot even open the file', async () => {
    const log = memoryLog();
    const readers = new SeriesReaders({ place: { path: '/nowhere/at/all.sqlite' }, wire: new VirtualClock(), log });
    await readers.start();
    for (const _ of [1, 2]) await expect(readers.answer(question)).rejects.toMatchObject({ name: 'ReaderFailed' });
    expect(log.lines).toHaveLength(2);
    await readers.stop();
  });
});
