import { ApiError } from '@lcs/contract';
import { realClock, silentLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import type { Dataset } from '../datasets/dataset.ts';
import { startMs, testDatasetStore } from '../testing/test-dataset-store.ts';
import { DatasetThreads, estimatedDatasets } from './dataset-threads.ts';
import type { DatasetEstimate } from './export-protocol.ts';

const preview = (query: string) => {
  const dataset: Dataset = {
    descriptor: {
      dataset_name: 'mine',
      display_name: 'Mine',
      description: '',
      source: 'app',
      has_experiment: false,
      has_unit: false,
      default_order_by: '',
      timestamp_columns: [],
      table: null,
      query,
      always_partition_by_unit: false,
      column_descriptions: {},
      column_units: {},
    },
    columns: undefined,
    reader: { is: 'sql' },
    isForeign: true,
  };
  const order = { dataset, rows: 5, experiment: undefined, isNewestFirst: false };
  return { is: 'preview', order } as const;
};

const quick = preview('select experiment from experiments');
/** Some 8 million rows: the database is busy with one step for half a second or more. */
const pairs = Array.from({ length: 23 }, (_, index) => `(select 1 union all select 2) t${index}`).join(', ');
const slow = preview(`select count(*) as n from ${pairs}`);

describe('threads that read datasets', () => {
  it('answer, and end a slow query without delaying others', async () => {
    await using store = await testDatasetStore();
    store.addExperiment('a', startMs);
    const threads = new DatasetThreads({
      place: { path: store.path },
      statementLimitMs: () => 60_000,
      wire: realClock(),
      log: silentLog(),
    });
    await threads.start();
    const { signal } = new AbortController();
    const tooSlow = threads.run(slow, { signal, limitMs: 100 });
    await expect(tooSlow).rejects.toMatchObject({ code: 'dataset_too_slow' });
    expect(await threads.run(quick, { signal })).toEqual({ is: 'preview', rows: [{ experiment: 'a' }] });
    await threads.stop();
  });

  it('take two previews at a time; others wait for their turn, not longer than they may', async () => {
    await using store = await testDatasetStore();
    const threads = new DatasetThreads({
      place: { path: store.path },
      statementLimitMs: () => 60_000,
      wire: realClock(),
      log: silentLog(),
    });
    await threads.start();
    const { signal } = new AbortController();
    const busy = [threads.run(slow, { signal }), threads.run(slow, { signal })];
    const waiting = threads.run(quick, { signal });
    await expect(threads.run(quick, { signal, limitMs: 1 })).rejects.toMatchObject({ code: 'dataset_too_slow' });
    expect((await Promise.all(busy)).map((reply) => reply.is === 'preview' && reply.rows)).toEqual([
      [{ n: 2 ** 23 }],
      [{ n: 2 ** 23 }],
    ]);
    expect(await waiting).toEqual({ is: 'preview', rows: [] });
    await threads.stop();
  });

  it('give an estimate what was counted in time, and keep its slow query from previews', async () => {
    await using store = await testDatasetStore();
    store.addExperiment('a', startMs);
    const threads = new DatasetThreads({
      place: { path: store.path },
      statementLimitMs: () => 60_000,
      wire: realClock(),
      log: silentLog(),
    });
    await threads.start();
    const { signal } = new AbortController();
    const named = ({ order }: typeof quick, dataset_name: string): Dataset => ({
      ...order.dataset,
      descriptor: { ...order.dataset.descriptor, dataset_name },
    });
    const order = {
      datasets: [named(slow, 'slow'), { ...named(quick, 'fine'), isForeign: false }],
      experiment: 'a',
      format: 'csv' as const,
    };
    const ended: string[] = [];
    const estimates = [1, 2, 3, 4].map(() =>
      estimatedDatasets(threads, order, { signal }).finally(() => ended.push('estimate')),
    );
    const shown = threads.run(quick, { signal }).finally(() => ended.push('preview'));
    expect(await shown).toMatchObject({ rows: [{ experiment: 'a' }] });
    expect(await Promise.all(estimates)).toMatchObject(Array(4).fill([{ rows: 1 }, { rows: 1 }]));
    // With the places of previews it would wait until three estimates have ended.
    expect(ended.indexOf('preview')).toBeLessThan(3);
    await threads.stop();

    const expired = async (_: unknown, { onEstimate }: { onEstimate?: (one: DatasetEstimate) => void }) => {
      onEstimate?.({ dataset_name: 'fine', rows: 1, bytes: 20, zip_bytes: 15 });
      throw new ApiError('dataset_too_slow', { dataset: 'fine, slow', limitS: 10 });
    };
    expect(await estimatedDatasets({ run: expired }, order, { signal })).toEqual([
      { dataset_name: 'slow', rows: null, bytes: null, zip_bytes: null },
      { dataset_name: 'fine', rows: 1, bytes: 20, zip_bytes: 15 },
    ]);
  });

  it('report why they failed', async () => {
    await using store = await testDatasetStore();
    const threads = new DatasetThreads({
      place: { path: `${store.path}.away` },
      statementLimitMs: () => 60_000,
      wire: realClock(),
      log: silentLog(),
    });
    await threads.start();
    await expect(threads.run(quick, { signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'export_failed',
      body: { cause: expect.stringContaining('unable to open database file') },
    });
    await threads.stop();
  });

  it('end their work when they are stopped or their caller has gone', async () => {
    await using store = await testDatasetStore();
    const threads = new DatasetThreads({
      place: { path: store.path },
      statementLimitMs: () => 60_000,
      wire: realClock(),
      log: silentLog(),
    });
    await threads.start();
    const caller = new AbortController();
    const gone = threads.run(slow, { signal: caller.signal });
    caller.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    const cut = threads.run(slow, { signal: new AbortController().signal });
    const stopped = threads.stop();
    await expect(cut).rejects.toMatchObject({ code: 'shutting_down' });
    await stopped;
  });
});
