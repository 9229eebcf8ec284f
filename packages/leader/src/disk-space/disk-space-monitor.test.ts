import { VirtualClock } from '@lcs/platform';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createExperiment } from '../experiments/create-experiment.ts';
import { answerWith, record, testIngest } from '../testing/test-ingest.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { DiskSpaceMonitor, diskSpaceLevel } from './disk-space-monitor.ts';

const mib = 1024 * 1024;

/** A watch over a disk whose room the test sets. */
async function watched(freeMib: number) {
  const leader = await startTestLeader();
  const disk = { freeMib };
  const wire = new VirtualClock();
  const live: string[] = [];
  const room = new DiskSpaceMonitor({
    ...leader.context,
    wire,
    live: { publish: (name, key) => live.push(`${name} ${key}`) },
    freeBytes: async () => disk.freeMib * mib,
  });
  await room.start();
  const said = async () =>
    (await leader.context.database.read.selectFrom('logs').where('task', '=', 'disk').select('level').execute()).map(
      ({ level }) => level,
    );
  return {
    ...leader,
    room,
    disk,
    wire,
    live,
    said,
    [Symbol.asyncDispose]: async () => {
      await room.stop();
      await leader[Symbol.asyncDispose]();
    },
  };
}

describe('the free disk space', () => {
  it.each([
    ['enough', 513, 'enough'],
    ['enough', 511, 'low'],
    ['low', 513, 'low'],
    ['low', 529, 'enough'],
    ['low', 63, 'full'],
    ['full', 65, 'full'],
    ['full', 81, 'low'],
    ['full', 600, 'enough'],
  ] as const)('is %s, then %i MiB are free: %s', (previous, free, expected) => {
    expect(diskSpaceLevel(previous, free * mib)).toBe(expected);
  });

  it('is logged once for each change of its level', async () => {
    await using watch = await watched(1_000);
    expect(await watch.said()).toEqual([]);
    for (const freeMib of [300, 200, 10, 5, 2_000]) {
      watch.disk.freeMib = freeMib;
      await watch.room.check();
    }
    expect(await watch.said()).toEqual(['WARNING', 'CRITICAL', 'NOTICE']);
    expect([watch.room.level, watch.live]).toEqual(['enough', []]);
  });

  it('counts a failed write for a minute, whatever the disk reports', async () => {
    await using watch = await watched(1_000);
    await watch.room.writeFailed();
    await watch.room.check();
    expect(watch.room.level).toBe('full');
    await watch.wire.advance(60_000);
    await watch.room.check();
    expect(watch.room.level).toBe('enough');
  });

  it('is at least published when the event log cannot be written', async () => {
    await using watch = await watched(1_000);
    await watch.context.database.write((transaction) => sql`drop table logs`.execute(transaction));
    await watch.room.writeFailed();
    expect(watch.live).toEqual(['log $experiment/disk']);
  });
});

describe('a leader whose disk is full', () => {
  it('fails a change with that reason, without an effect, and accepts it when there is space again', async () => {
    await using leader = await startTestLeader();
    const { context } = leader;
    const mostPages = (pages: number) =>
      context.database.write((transaction) => sql.raw(`pragma max_page_count = ${pages}`).execute(transaction));
    await mostPages(1);
    const creation = { experiment: 'a', description: 'x'.repeat(100_000) };
    await expect(createExperiment(context, creation)).rejects.toMatchObject({ code: 'disk_full' });
    expect(await context.database.read.selectFrom('experiments').select('name').execute()).toEqual([]);
    await mostPages(1_000_000);
    expect(await createExperiment(context, creation)).toMatchObject({ experiment: 'a' });
  });

  it('leaves readings on their unit, and stores them once when there is space again', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    const mostPages = (pages: number) =>
      store.database.write((transaction) => sql.raw(`pragma max_page_count = ${pages}`).execute(transaction));
    const records = Array.from({ length: 3_000 }, (_, index) => record.sample(index + 1));
    await store.take('rx01', answerWith([record.sample(1)]));
    await mostPages(1);
    await expect(store.take('rx01', answerWith(records))).rejects.toMatchObject({ code: 'disk_full' });
    expect(store.diskSpace.failures).toBe(1);
    expect(await store.all('select count(*) as n from samples')).toEqual([{ n: 1 }]);
    await mostPages(1_000_000);
    await store.take('rx01', answerWith(records));
    expect(await store.all('select count(*) as n from samples')).toEqual([{ n: 3_000 }]);
    store.diskSpace.level = 'full';
    await expect(store.take('rx01', answerWith([record.sample(3_001)]))).rejects.toMatchObject({ code: 'disk_full' });
  });

  it('is found to be enough again although its units keep sending', async () => {
    await using store = await testIngest();
    await store.addExperiments('e1');
    store.diskSpace.level = 'full';
    await expect(store.take('rx01', answerWith([record.sample(1)]))).rejects.toMatchObject({ code: 'disk_full' });
    // A failed write would keep the disk from being looked at for a minute: from one refusal to the next, for ever.
    expect(store.diskSpace.failures).toBe(0);
  });
});
