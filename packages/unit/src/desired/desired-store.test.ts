import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import {
  MemoryDesiredStore,
  testDocument,
  testExperiment,
  testId,
  testModel,
  testStop,
} from '../testing/test-desired.ts';
import type { DesiredParts, DesiredStore, EffectiveDocuments } from './desired-store.ts';
import { type DesiredTables, desiredMigrations } from './desired-tables.ts';
import { SqlDesiredStore } from './sql-desired-store.ts';

async function openDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-desired-'));
  const path = join(folder, 'unit.sqlite');
  const options = { path, migrations: desiredMigrations, clock: realClock(), log: silentLog(), writer: testWriter() };
  const database = new SqliteDatabase<DesiredTables>(options);
  await database.start(new AbortController().signal);
  return Object.assign(database, {
    [Symbol.asyncDispose]: async () => {
      await database.stop();
      await rm(folder, { recursive: true });
    },
  });
}

const file = { version: 2, sha256: 'e3b0' };
const effective: EffectiveDocuments = {
  experiment: testExperiment(4),
  active: false,
  model: testModel(),
  config: { shared: file, own: file },
};
const part = { state: 'applied' } as const;
const parts: DesiredParts = {
  experiment: part,
  active: part,
  model: { state: 'failed', error: { code: 'model_not_set', message: 'no guard' } },
  config_shared: part,
  config_own: part,
  stop: part,
};
const outcome = { ended: [{ job_name: 'stirring', job_id: 3 }], still_running: [] };

async function lifeOf(store: DesiredStore): Promise<void> {
  expect(await store.load()).toEqual({ desired: undefined, effective: undefined, stops: [] });

  const first = testDocument(7, { stop: [testStop(1), testStop(2)] });
  await store.accept(first, first.stop, effective);
  expect(await store.load()).toEqual({
    desired: { document: first, applied: undefined },
    effective,
    stops: first.stop.map((order) => ({ order, version: 7, outcome: null })),
  });

  await store.stopDone(testId(2), outcome);
  await store.applied(99, parts, { ...effective, active: true });
  const done = await store.load();
  expect(done.desired).toEqual({ document: first, applied: { atMs: 99, parts } });
  expect(done.effective?.active).toBe(true);
  expect(done.stops.map((stop) => stop.outcome)).toEqual([null, outcome]);

  const second = testDocument(8, { stop: [testStop(3)] });
  await store.accept(second, second.stop, effective);
  const next = await store.load();
  expect(next.desired).toEqual({ document: second, applied: undefined });
  expect(next.stops.map(({ order, version }) => [order.stop_id, version])).toEqual([
    [testId(1), 7],
    [testId(2), 7],
    [testId(3), 8],
  ]);

  await store.forget(effective);
  expect(await store.load()).toEqual({ desired: undefined, effective, stops: [] });
}

describe('the memory of orders', () => {
  it('keeps document, orders and what is in force (in a database)', async () => {
    await using database = await openDatabase();
    await lifeOf(new SqlDesiredStore(database));
  });

  it('keeps the same without a database', async () => {
    await lifeOf(new MemoryDesiredStore());
  });

  it('knows a document that is not what was written', async () => {
    await using database = await openDatabase();
    const store = new SqlDesiredStore(database);
    await store.accept(testDocument(1), [], effective);
    const other = JSON.stringify(testDocument(1, { active: false }));
    await database.write((transaction) =>
      transaction.updateTable('desired_document').set({ document: other }).execute(),
    );
    expect((await store.load()).desired).toBe('damaged');
  });

  it('forgets old orders that are done, and none that is not done or still named', async () => {
    await using database = await openDatabase();
    const store = new SqlDesiredStore(database);
    const first = testDocument(1, { stop: [testStop(1), testStop(2), testStop(3)] });
    await store.accept(first, first.stop, effective);
    await store.stopDone(testId(1), outcome);
    await store.stopDone(testId(2), outcome);
    const many = Array.from({ length: 1_000 }, (_, index) => testStop(100 + index));
    await store.accept(testDocument(2, { stop: [testStop(2), ...many] }), many, effective);
    const kept = (await store.load()).stops.map(({ order }) => order.stop_id);
    expect(kept.slice(0, 3)).toEqual([testId(2), testId(3), testId(100)]);
  });
});
