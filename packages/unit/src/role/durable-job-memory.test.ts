import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteDatabase, silentLog, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { expect, it, onTestFinished } from 'vitest';
import { DurableJobMemory, type JobMemoryTables, jobMemoryMigrations } from './durable-job-memory.ts';

async function testMemory() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clock = new VirtualClock();
  const log = silentLog();
  const path = join(folder, 'unit.sqlite');
  const writer = testWriter();
  const database = new SqliteDatabase<JobMemoryTables>({ path, migrations: jobMemoryMigrations, clock, log, writer });
  await database.start(new AbortController().signal);
  onTestFinished(() => database.stop());
  const started = async () => {
    const memory = new DurableJobMemory({ database, clock, log });
    await memory.start();
    return memory;
  };
  return { database, started };
}

it('remembers for each experiment what jobs wrote, over a restart', async () => {
  const { started } = await testMemory();
  const memory = await started();
  memory.write('uid1', 'filter', { od: 0.5 });
  memory.write('uid2', 'filter', 2);
  memory.write('uid1', 'gone', 1);
  await memory.stop();
  const second = await started();
  expect(second.read('uid1', 'filter')).toEqual({ od: 0.5 });
  second.write('uid1', 'gone', null);
  second.write('uid2', 'filter', 3);
  await second.stop();
  const third = await started();
  expect([third.read('uid1', 'gone'), third.read('uid2', 'filter'), third.read('uid3', 'filter')]).toEqual([
    undefined,
    3,
    undefined,
  ]);
  await third.stop();
});

it('keeps the memory of the twenty experiments used last, and of no other', async () => {
  const { database, started } = await testMemory();
  const memory = await started();
  memory.write('$experiment', 'board', 1);
  memory.write('first', 'filter', 1);
  await memory.stop();
  const second = await started();
  for (let index = 1; index <= 19; index += 1) second.write(`e${index}`, 'filter', index);
  expect(second.read('$experiment', 'board')).toBe(1);
  await second.stop();
  const uids = await database.read.selectFrom('job_memory').select('experiment_uid').distinct().execute();
  expect(uids).toHaveLength(20);
  const third = await started();
  expect([third.read('first', 'filter'), third.read('$experiment', 'board'), third.read('e1', 'filter')]).toEqual([
    undefined,
    1,
    1,
  ]);
  third.write('e20', 'filter', 20);
  await third.stop();
  const fourth = await started();
  expect([fourth.read('e2', 'filter'), fourth.read('e20', 'filter')]).toEqual([2, 20]);
  await fourth.stop();
});
