import type { FeedJob, FeedRecord, FeedSeries, Json } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAnswer } from '../testing/test-feed.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { ExperimentNames } from './experiment-names.ts';
import { FeedEvents } from './feed-events.ts';
import { HeldJobs } from './held-jobs.ts';
import { Readings } from './readings.ts';
import { UnitJobs } from './unit-jobs.ts';

const uid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';

async function startWorld() {
  const leader = await startTestLeader();
  const { database, log } = leader.context;
  await database.write((transaction) =>
    transaction
      .insertInto('experiments')
      .values({ uid, name: 'a', created_at: 1, description: null, deleting_at: null })
      .execute(),
  );
  const wire = new VirtualClock();
  const told: unknown[] = [];
  const sent: unknown[] = [];
  const live = { publish: (name: string, key: string, data: unknown) => told.push([name, key, data]) };
  const jobs = new UnitJobs();
  const readings = new Readings(live, wire);
  const events = new FeedEvents({
    live,
    mqtt: { publish: (topic, payload, options) => sent.push([topic, payload, options]) },
    names: new ExperimentNames(database, wire),
    jobs,
    held: new HeldJobs(),
    readings,
    clock: new VirtualClock({ startMs: 100_000 }),
    log,
    database,
  });
  return { leader, database, wire, readings, jobs, events, told, sent };
}

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.leader[Symbol.asyncDispose]());

const series: FeedSeries = {
  experiment_uid: uid,
  source: 'od',
  channel: '2',
  angle: 90,
  derivation: null,
  context: null,
};
const stamp = { seq: 1, boot: 1, mono: 1, at: 1_000 };
const x = '1970-01-01T00:00:01.000Z';

async function store(...records: FeedRecord[]) {
  world.events.stored({
    unit: 'u',
    epoch: 'e',
    after: 0,
    upTo: 9,
    headSeq: 9,
    forgotten: undefined,
    series: [series],
    records: records.map((record) => ({ record, backfill: false })),
  });
  await world.events.settled;
}
const stirring: FeedJob = {
  job_id: 41,
  job_name: 'stirring',
  experiment: 'a',
  experiment_uid: uid,
  state: 'ready',
  since: 500,
};
const answers = async (jobs: FeedJob[]) => {
  world.events.answered('u', testAnswer([], { jobs, time: 2_000 }));
  await world.events.settled;
};

describe('live events of the feeds', () => {
  it('are the jobs that wait for a person since a restart, when they change', async () => {
    const held = { job_id: 7, job_name: 'dosing_automation', experiment: 'a', since: 1_000, was_stopped: false };
    for (const held_jobs of [[held], [held], undefined, undefined])
      world.events.answered('u', testAnswer([], { jobs: [], ...(held_jobs && { held_jobs }) }));
    await world.events.settled;
    expect(world.told).toEqual([
      ['held_jobs', 'u', { reactor_unit: 'u', held_jobs: [{ ...held, reactor_unit: 'u', since: x }] }],
      ['held_jobs', 'u', { reactor_unit: 'u', held_jobs: [] }],
    ]);
  });

  it('are readings and log entries by the name of their experiment', async () => {
    await store(
      { ...stamp, kind: 'sample', series: 0, value: 0.4 },
      { ...stamp, kind: 'log', experiment_uid: uid, level: 'WARNING', task: 'stirring', source: 'app', message: 'm' },
      { ...stamp, kind: 'log', experiment_uid: '$experiment', level: 'INFO', task: 't', source: 'app', message: 'n' },
    );
    const of = { reactor_unit: 'u', experiment: 'a' };
    expect(world.told).toEqual([
      ['reading', 'a/u/od/2/90', { ...of, source: 'od', channel: '2', angle: 90, x, y: 0.4, backfill: false }],
      ['log', 'a/stirring', { ...of, timestamp: x, level: 'WARNING', task: 'stirring', source: 'app', message: 'm' }],
      ['log', '$experiment/t', expect.objectContaining({ experiment: '$experiment', message: 'n' })],
    ]);
  });

  it('are doses into a vial, and no other events', async () => {
    const event = (name: string, data: Record<string, Json>): FeedRecord => ({
      ...stamp,
      kind: 'event',
      experiment_uid: uid,
      name,
      source: null,
      message: null,
      data,
    });
    await store(
      event('dosing', { event: 'add_media', volume_change_ml: 0.5 }),
      event('dosing', { event: 'remove_waste', volume_change_ml: 0.5 }),
      event('dosing', { event: 'add_media', volume_change_ml: -0.5 }),
      event('dosing', { event: 'add_media', volume_change_ml: -1, correction: { reason: 'no effect' } }),
      event('led_change', { event: 'add_media', volume_change_ml: 1 }),
    );
    const dose = { experiment: 'a', reactor_unit: 'u', at: x, event: 'add_media', volume_ml: 0.5 };
    expect(world.told).toEqual([
      ['dose', 'a/u/1000', dose],
      ['dose', 'a/u/1000', { ...dose, volume_ml: -0.5 }],
    ]);
  });

  it('is the newest old reading of each series while a unit catches up, and every fresh one', async () => {
    await world.readings.start();
    const reading = (series: number, value: number, backfill: boolean) => ({
      record: { ...stamp, kind: 'sample', series, value } as const,
      backfill,
    });
    world.events.stored({
      unit: 'u',
      epoch: 'e',
      after: 0,
      upTo: 9,
      headSeq: 9,
      forgotten: undefined,
      series: [series, { ...series, channel: '3' }],
      records: [
        reading(0, 1, true),
        reading(1, 2, true),
        reading(0, 3, true),
        reading(1, 4, false),
        reading(1, 5, false),
      ],
    });
    await world.events.settled;
    await world.wire.advance(1_000);
    await world.readings.stop();
    expect(world.told).toMatchObject([
      ['reading', 'a/u/od/3/90', { y: 4 }],
      ['reading', 'a/u/od/3/90', { y: 5 }],
      ['reading', 'a/u/od/2/90', { y: 3, backfill: true }],
    ]);
  });

  it('contain nothing of deleted experiments', async () => {
    await world.database.write((transaction) =>
      transaction.updateTable('experiments').set({ deleting_at: 1 }).execute(),
    );
    await store({ ...stamp, kind: 'sample', series: 0, value: 0.4 });
    expect(world.told).toEqual([]);
  });

  it('are jobs with their states, and what was set while they run', async () => {
    const setting = (job_id: number, value: Json): FeedRecord => ({
      ...stamp,
      kind: 'setting',
      experiment_uid: uid,
      job_name: 'stirring',
      setting: 'target_rpm',
      by: null,
      job_id,
      value,
    });
    await answers([stirring]);
    await store(setting(41, 500), setting(40, 400));
    const job = { reactor_unit: 'u', experiment: 'a', job_name: 'stirring', job_id: 41 };
    expect(world.told).toEqual([
      ['job', 'u/41', { ...job, state: 'ready', since: '1970-01-01T00:00:00.500Z', reason: null }],
      ['setting', 'u/41/target_rpm', { ...job, setting: 'target_rpm', value: 500, at: x }],
    ]);
    expect(world.sent).toEqual([]);
  });

  it('are the settings of jobs that ran before the leader did', async () => {
    const known = {
      reactor_unit: 'u',
      experiment_uid: uid,
      job_name: 'stirring',
      machine_id: 'm',
      boot: 1,
      mono: 1,
      at: 1,
    };
    await world.database.write((transaction) =>
      transaction
        .insertInto('last_known')
        .values([
          { ...known, job_id: 41, setting: 'target_rpm', value: '500' },
          { ...known, job_id: 41, setting: '$state', value: '"ready"' },
          { ...known, job_id: 41, setting: 'duty_cycle', value: 'null' },
          { ...known, job_id: 40, setting: 'old', value: '1' },
        ])
        .execute(),
    );
    await answers([stirring]);
    expect(world.jobs.all()).toMatchObject([{ job_id: 41, settings: { target_rpm: 500 } }]);
    expect(Object.keys(world.jobs.all()[0]?.settings ?? {})).toEqual(['target_rpm']);
  });

  it('is that the jobs of a unit are lost when it stays silent after a start of the leader', async () => {
    const known = {
      reactor_unit: 'u',
      experiment_uid: uid,
      setting: '$state',
      machine_id: 'm',
      boot: 1,
      mono: 1,
      at: 1,
    };
    await world.database.write((transaction) =>
      transaction
        .insertInto('last_known')
        .values([
          { ...known, job_name: 'stirring', job_id: 41, value: '"ready"' },
          { ...known, job_name: 'od_reading', job_id: 40, value: '"disconnected"' },
        ])
        .execute(),
    );
    world.events.silent('u');
    await world.events.settled;
    expect(world.told).toMatchObject([['job', 'u/41', { state: 'lost', job_name: 'stirring', experiment: 'a' }]]);
    expect(world.sent).toMatchObject([['reactor/u/a/stirring/$state', 'lost', {}]]);
    await answers([stirring]);
    expect(world.sent[1]).toMatchObject(['reactor/u/a/stirring/$state', 'ready', {}]);
  });

  it('report the jobs of a unit as lost, also on MQTT, until the unit reports them', async () => {
    await answers([stirring]);
    world.told.length = 0;
    world.events.lost('u');
    const topic = 'reactor/u/a/stirring/$state';
    expect(world.told).toMatchObject([['job', 'u/41', { state: 'lost', since: '1970-01-01T00:01:40.000Z' }]]);
    expect(world.sent).toEqual([[topic, 'lost', { retain: true, qos: 2 }]]);
    await answers([stirring]);
    expect(world.told[1]).toMatchObject(['job', 'u/41', { state: 'ready' }]);
    expect(world.sent[1]).toEqual([topic, 'ready', { retain: true, qos: 2 }]);
  });
});
