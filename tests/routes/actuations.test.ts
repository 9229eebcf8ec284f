import { type LeaderUnderTest, startLeader, startUnit } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { whileTimePasses } from './calibration-fixtures.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'ramp' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

interface StoredActuation {
  readonly unit?: string;
  readonly at?: number;
  readonly experimentUid?: string;
  readonly source?: string | null;
  readonly data?: object;
}

/** Stores actuations like records of units, oldest first. */
function store(...actuations: readonly StoredActuation[]): Promise<void> {
  return leader.editStore((database) => {
    const { uid } = database.prepare("select uid from experiments where name = 'ramp'").get() ?? {};
    const insert = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
      values (?, ?, ?, 'actuation', ?, ?, 'm', 1, (select count(*) from events))`,
    );
    for (const {
      unit = 'rx01',
      at = leader.clock.now(),
      experimentUid = String(uid),
      source = 'UI',
      data,
    } of actuations)
      insert.run(experimentUid, unit, at, source, JSON.stringify({ output: 'heater', to: 1, unit: '%', ...data }));
  });
}

type Query = Readonly<Record<string, string | number>>;
const ofWorker = (query: Query = {}, reactor_unit = 'rx01') =>
  leader.api.call('listWorkerActuations', { params: { reactor_unit }, query });
const ofExperiment = (query: Query = {}, experiment = 'ramp') =>
  leader.api.call('listExperimentActuations', { params: { experiment }, query });
const levels = (body: unknown): unknown => (Array.isArray(body) ? body.map(({ to }) => to) : body);

const dilution = {
  output: 'media_pump',
  to: 0.5,
  unit: 'mL',
  rule: 'The biomass 0.52 (od) reached the target of 0.5, so 0.5 mL are exchanged.',
  reading: { source: 'od', channel: '2', value: 0.52, at: Date.parse('2026-05-02T09:14:03.120Z') },
  settings: { target_biomass: 0.5 },
  calibration: 'media-1',
  job_id: 7,
  job_name: 'dosing_automation',
  job_source: 'user',
};

describe('the reasons of actuations', () => {
  it('are the reading, the rule, the settings, the calibration, the origin, and a sentence', async () => {
    const at = Date.parse('2026-05-02T09:14:04.000Z');
    await store({ at, source: 'dosing_automation:turbidostat', data: dilution });
    const expected = {
      timestamp: '2026-05-02T09:14:04.000Z',
      reactor_unit: 'rx01',
      experiment: 'ramp',
      output: 'media_pump',
      to: 0.5,
      from: null,
      unit: 'mL',
      refused: null,
      source_of_event: 'dosing_automation:turbidostat',
      job_name: 'dosing_automation',
      job_id: 7,
      job_source: 'user',
      started_by: null,
      rule: dilution.rule,
      reading: { source: 'od', channel: '2', value: 0.52, timestamp: '2026-05-02T09:14:03.120Z' },
      settings: { target_biomass: 0.5 },
      calibration: 'media-1',
      why: 'The media pump was run for 0.5 mL, because the biomass 0.52 (od) reached the target of 0.5, so 0.5 mL are exchanged (by dosing_automation:turbidostat; reading od of channel 2 0.52 at 2026-05-02T09:14:03.120Z; settings target_biomass 0.5; calibration media-1).',
    };
    expect((await ofWorker()).expect(200)).toEqual([expected]);
    expect((await ofExperiment()).expect(200)).toEqual([expected]);
  });

  it('are given for refusals, for changes, and for outputs without an end', async () => {
    await store(
      { data: { output: 'waste_pump', to: null, unit: 'mL' } },
      { data: { output: 'led_B', from: 0, to: 20 } },
      { data: { output: 'media_pump', to: 2, unit: 'mL', refused: 'The vial would be as full as it may be.' } },
      { data: { output: 7, to: 'much', reading: [], settings: 3 }, source: null },
    );
    const rows = (await ofWorker()).expect(200);
    expect(Array.isArray(rows) ? rows.map(({ why }) => why).reverse() : rows).toEqual([
      'The waste pump was switched on until it is stopped, because a person requested it (from the web UI).',
      'LED B went from 0 to 20 %, because a person requested it (from the web UI).',
      'The media pump was not driven (it was to be run for 2 mL), because refused: the vial would be as full as it may be; a person requested it (from the web UI).',
      expect.any(String),
    ]);
  });
});

describe('a page of actuations', () => {
  beforeEach(async () => {
    const start = Date.parse('2026-05-02T09:00:00.000Z');
    for (let index = 0; index < 10; index += 1)
      await store({
        at: start + 60_000 * Math.floor(index / 2),
        data: { to: index, output: index % 3 === 0 ? 'stirrer' : 'heater' },
      });
    await store({ unit: 'rx02', at: start, data: { to: 99 } });
    await store({ experimentUid: '$experiment', at: start - 1, data: { to: 77 } });
    await store({ experimentUid: 'nobody knows it', at: start, data: { to: 66 } });
  });

  it('is newest first, and contains the cursor of the next page', async () => {
    const seen: unknown[] = [];
    let before: string | undefined;
    do {
      const answer = await ofWorker({ limit: 4, ...(before === undefined ? {} : { before }) });
      seen.push(levels(answer.expect(200)));
      before = answer.headers.get('x-next-before') ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([
      [9, 8, 7, 6],
      [5, 4, 3, 2],
      [1, 0, 77],
    ]);
  });

  it('is of one output, of a time, of an experiment, of the units themselves, or of all', async () => {
    expect(levels((await ofWorker({ output: 'stirrer' })).expect(200))).toEqual([9, 6, 3, 0]);
    const time = { since: '2026-05-02T09:01:00.000Z', until: '2026-05-02T09:03:00Z' };
    expect(levels((await ofWorker(time)).expect(200))).toEqual([5, 4, 3, 2]);
    expect(levels((await ofExperiment({ output: 'stirrer', ...time })).expect(200))).toEqual([3]);
    expect(levels((await ofExperiment({ limit: 2 })).expect(200))).toEqual([9, 8]);
    expect(levels((await ofExperiment({}, '$experiment')).expect(200))).toEqual([77]);
    expect(levels((await ofWorker({}, 'rx02')).expect(200))).toEqual([99]);
    expect(levels((await ofWorker({ limit: 1000 }, '$broadcast')).expect(200))).toHaveLength(12);
  });

  it('is empty for an unknown unit or experiment, and refused for invalid parameters', async () => {
    expect((await ofWorker({}, 'rx09')).expect(200)).toEqual([]);
    expect((await ofExperiment({}, 'other')).expect(200)).toEqual([]);
    for (const query of [
      { output: 'bell' },
      { since: 'yesterday' },
      { until: '2026-05-02' },
      { before: '2026-05-02T09:00:00Z' },
      { limit: 0 },
      { limit: 1001 },
    ]) {
      expect((await ofWorker(query)).expect(400)).toMatchObject({ code: 'invalid_query' });
      expect((await ofExperiment(query)).expect(400)).toMatchObject({ code: 'invalid_query' });
    }
  });
});

it('actuations of a unit are read from its leader, with the origin of the job', async () => {
  await using unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  const model = { model_name: 'reactor_20ml', model_version: '1.5' };
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1', ...model } });
  await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  const params = { reactor_unit: 'unit1', job: 'led_intensity', experiment: 'ramp' };
  const body = { options: { C: 12, source_of_event: 'UI' }, env: {}, args: [], config_overrides: [] };
  const driven = async () => {
    const accepted = (await leader.api.call('runWorkerJob', { params, body })).expect(202);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded' });
    await vi.waitFor(async () => {
      const rows = (await ofWorker({ output: 'led_C' }, 'unit1')).expect(200);
      expect(rows).toMatchObject([
        {
          reactor_unit: 'unit1',
          experiment: 'ramp',
          from: 0,
          to: 12,
          source_of_event: 'UI',
          job_name: 'led_intensity',
          job_source: 'user',
          why: 'LED C went from 0 to 12 %, because a person requested it (from the web UI).',
        },
      ]);
    }, 10_000);
  };
  await whileTimePasses(unit, driven());
});
