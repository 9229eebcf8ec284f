import { createHash } from 'node:crypto';
import {
  addToyUnit,
  type LeaderUnderTest,
  type StandInLeader,
  startLeader,
  startStandInLeader,
  startUnit,
  temporaryFolder,
  testExperiment,
  type UnitUnderTest,
} from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';
import { whileTimePasses } from './calibration-fixtures.ts';

describe('the vial state of a unit', () => {
  let standIn: StandInLeader;
  let unit: UnitUnderTest;
  beforeEach(async () => {
    standIn = await startStandInLeader();
    unit = await startUnit({ leaderUrl: standIn.url, observe });
    await standIn.put(unit.url);
  });
  afterEach(async () => {
    await unit[Symbol.asyncDispose]();
    await standIn[Symbol.asyncDispose]();
  });

  const read = (experiment: string = testExperiment.name) => unit.api.call('getBioreactor', { params: { experiment } });
  const set = (values: unknown, experiment: string = testExperiment.name) =>
    unit.api.call('setBioreactor', { params: { experiment }, body: { values } });

  const atFirst = {
    current_volume_ml: 14,
    efflux_tube_volume_ml: 14,
    alt_media_fraction: 0,
    cumulative_media_added_ml: 0,
    cumulative_alt_media_added_ml: 0,
    cumulative_waste_removed_ml: 0,
  };

  it('has six values, by experiment', async () => {
    expect((await read()).expect(200)).toEqual({ values: atFirst });
    const after = { ...atFirst, current_volume_ml: 15.5, alt_media_fraction: 0.25 };
    expect((await set({ current_volume_ml: '15.5', alt_media_fraction: 0.25 })).expect(200)).toEqual({
      status: 'success',
      values: after,
    });
    expect((await read()).expect(200)).toEqual({ values: after });
    expect((await read('another')).expect(200)).toEqual({ values: atFirst });
    expect((await set({ current_volume_ml: 2 }, 'another')).expect(400, 'bioreactor_values_invalid')).toMatchObject({
      cause: `This unit is in experiment '${testExperiment.name}', and the values are for 'another'.`,
    });
    expect((await read('another')).expect(200)).toEqual({ values: atFirst });
  });

  it('changes all values or none', async () => {
    const refused = await set({ current_volume_ml: 10, efflux_tube_volume_ml: 1000 });
    expect(refused.expect(400, 'bioreactor_values_invalid')).toMatchObject({
      cause: expect.stringContaining('efflux_tube_volume_ml'),
    });
    (await set({ volume: 1 })).expect(400, 'bioreactor_values_invalid');
    // They would be wildcards and levels of a topic, or fill the store with what is no experiment.
    for (const name of ['#', '+', 'a/b', '$experiment', ' a']) {
      (await set({ current_volume_ml: 10 }, name)).expect(400, 'bioreactor_values_invalid');
    }
    (await set({ current_volume_ml: null })).expect(400, 'invalid_body');
    (await set({})).expect(400, 'invalid_body');
    expect((await read()).expect(200)).toEqual({ values: atFirst });
  });

  it('includes noted volumes and corrections of notes', async () => {
    const note = (note_id: number, kind: 'sample_taken' | 'media_added', volume_ml: number) => ({
      note_id,
      kind,
      volume_ml,
    });
    const params = { experiment: testExperiment.name };
    const volume = async () => (await unit.client.getBioreactor({ params })).values.current_volume_ml;
    await standIn.put(unit.url, { volume_notes: [note(1, 'sample_taken', 2), note(2, 'media_added', 0.5)] });
    await expect.poll(volume).toBe(12.5);
    await standIn.put(unit.url, { volume_notes: [note(1, 'sample_taken', 1)] });
    await expect.poll(volume).toBe(13);
    await standIn.put(unit.url);
    await expect.poll(volume).toBe(14);
  });

  it('contains the remaining volume of bottles with a configured size, also after a bottle was replaced', async () => {
    const left = { media_bottle_left_ml: 250 };
    expect((await set(left)).expect(400, 'bioreactor_values_invalid')).toMatchObject({
      cause: expect.stringContaining('[bioreactor] media_bottle_ml'),
    });
    const text = '[bioreactor]\nmedia_bottle_ml=500\n';
    const shared = { version: 2, sha256: createHash('sha256').update(text).digest('hex'), text };
    const own = { version: 1, sha256: createHash('sha256').update('').digest('hex'), text: '' };
    await standIn.put(unit.url, { config: { shared, own } });
    (await set({ media_bottle_left_ml: -1 })).expect(400, 'bioreactor_values_invalid');
    expect((await set(left)).expect(200)).toEqual({ status: 'success', values: atFirst });
    const recorded = async () => {
      const { records, series } = await standIn.read(unit.url);
      return records.map((record) => record.kind === 'sample' && [series[record.series]?.source, record.value]);
    };
    await expect.poll(recorded).toContainEqual(['media_bottle_left_ml', 250]);
  });

  it('has its pump off, and an ended job, when a dose is paused', async () => {
    const body = { options: { duration: 60 }, env: { EXPERIMENT: testExperiment.name } };
    const params = { job: 'remove_waste' };
    await unit.finished((await unit.api.call('runJob', { params, body })).expect(202));
    const paused = { params: { job_name: params.job }, body: { settings: { $state: 'sleeping' } } };
    (await unit.api.call('updateJobSettings', paused)).expect(409, 'job_cannot_pause');
    await expect.poll(() => unit.client.listRunningJobsByName({ params })).toEqual([]);
  });

  it('is filled and emptied by pumps, which refuse to overfill it', async () => {
    const env = { EXPERIMENT: testExperiment.name };
    for (const run of ['runJob', 'runJobByPatch'] as const) {
      const params = { job: run === 'runJob' ? 'add_media' : 'add_alt_media' };
      const body = { options: { ml: 22 }, env };
      expect((await unit.api.call(run, { params, body })).expect(400, 'dose_overflows')).toMatchObject({
        error: 'This dose would make the vial too full.',
        cause: '22 mL on top of 14 mL reach the highest safe filling of 36 mL.',
        status: 400,
      });
    }
    const unknown = { ...env, MODEL_NAME: 'reactor_1l', MODEL_VERSION: '1.0' };
    const other = { params: { job: 'circulate_media' }, body: { options: { duration: 0 }, env } };
    (await unit.api.call('runJob', other)).expect(202);
    const volumes = { params: { job: 'pumps' }, body: { args: ['media', '1'], env } };
    expect(await unit.finished((await unit.api.call('runJob', volumes)).expect(202))).toMatchObject({
      status: 'failed',
      error: 'pumps was not started: no pump has run.',
      cause: 'The media pump is not calibrated.',
      remediation: 'Calibrate it, or run it for a time instead.',
      code: 'pumps_refused',
    });
    const dose = { params: { job: 'remove_waste' }, body: { options: { duration: 1, source_of_event: 'UI' }, env } };
    const accepted = (await unit.api.call('runJob', dose)).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded', result: { ok: true } });
    const events = async () => {
      const { records } = await standIn.read(unit.url);
      return records.flatMap((record) => (record.kind === 'event' && record.name === 'dosing' ? [record] : []));
    };
    await expect.poll(async () => (await events()).length).toBe(1);
    await unit.clock.advance(3000);
    await expect.poll(async () => (await events()).length).toBe(2);
    expect((await events())[0]).toMatchObject({
      source: 'UI',
      data: { volume_change_ml: expect.closeTo(0.04555, 6), event: 'remove_waste', source_of_event: 'UI' },
    });
    const body = { options: { ml: 1 }, env: unknown };
    // A second after the refusal above.
    await expect
      .poll(async () => (await unit.api.call('runJob', { params: { job: 'add_media' }, body })).status, {
        timeout: 5000,
      })
      .toBe(400);
  });

  it('enters changes in its series and its log', async () => {
    (await set({ current_volume_ml: 17, cumulative_media_added_ml: 3 })).expect(200);
    const recorded = async () => {
      const { records, series } = await standIn.read(unit.url);
      return records.map((record) =>
        record.kind === 'sample'
          ? [series[record.series]?.source, record.value]
          : 'message' in record && record.message,
      );
    };
    await expect.poll(recorded).toContainEqual(['liquid_volume', 17]);
    expect(await recorded()).toContain(
      'The state of the vial was set: current_volume_ml = 17, cumulative_media_added_ml = 3.',
    );
  });

  it('lists the biomass signals with their values', async () => {
    expect((await unit.api.call('getBiomassSignals')).expect(200)).toEqual({
      configured: 'normalized_od',
      automatic: 'normalized_od',
      signals: [
        { signal: 'od', scale: 'od', value: null, measured_at: null },
        { signal: 'normalized_od', scale: 'normalized_od', value: null, measured_at: null },
      ],
      culture: {
        growth_rate: null,
        volume_ml: 14,
        waste_tube_level_ml: 14,
        fill_limit_ml: 36,
        alt_media_fraction: 0,
        media_bottle_left_ml: null,
        reading_every_s: 5,
        evaporation_ml_per_hour: 0.02,
      },
    });
  });

  it('blinks its light', async () => {
    expect((await unit.api.call('blink')).expect(202)).toEqual({ status: 'accepted' });
  });
});

it('keeps the values of the vial over a restart', async () => {
  await using folder = await temporaryFolder();
  await using standIn = await startStandInLeader();
  const params = { experiment: testExperiment.name };
  {
    await using unit = await startUnit({ leaderUrl: standIn.url, dataFolder: folder.path });
    await standIn.put(unit.url);
    await unit.client.setBioreactor({ params, body: { values: { current_volume_ml: 12 } } });
  }
  await using unit = await startUnit({ leaderUrl: standIn.url, dataFolder: folder.path });
  expect((await unit.client.getBioreactor({ params })).values.current_volume_ml).toBe(12);
});

it('has the initial volume of the configuration at its beginning: a change while jobs run does not change the vial, also over a restart', async () => {
  await using folder = await temporaryFolder();
  await using leader = await startLeader({ observe });
  const { clock, client } = leader;
  const [reactor_unit, experiment] = ['unit1', 'ramp'];
  const params = { experiment };
  const start = () => startUnit({ leaderUrl: leader.url, clock, dataFolder: folder.path });
  const saved = async (unit: UnitUnderTest, volume: number) => {
    const text = (await client.getSharedConfig()).replace(/^initial_volume_ml=.*$/m, `initial_volume_ml=${volume}`);
    await client.saveSharedConfig({ body: { code: text } });
    await vi.waitFor(async () =>
      expect((await unit.client.getOwnMergedConfig()).bioreactor).toMatchObject({ initial_volume_ml: String(volume) }),
    );
    return (await unit.client.getBioreactor({ params })).values.current_volume_ml;
  };
  {
    await using unit = await start();
    await client.createExperiment({ body: { experiment } });
    await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
    await client.assignWorker({ params, body: { reactor_unit } });
    await vi.waitFor(async () =>
      expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    );
    // Nothing has run yet.
    expect(await saved(unit, 20)).toBe(20);
    const started = unit.client.runJob({ params: { job: 'stirring' }, body: { env: { EXPERIMENT: experiment } } });
    await whileTimePasses(unit, started.then(unit.finished));
    expect(await saved(unit, 12)).toBe(20);
  }
  await using again = await start();
  expect((await again.client.getBioreactor({ params })).values.current_volume_ml).toBe(20);
});

describe('vials and lights of workers', () => {
  let leader: LeaderUnderTest;
  beforeEach(async () => {
    leader = await startLeader({ observe });
    await leader.client.createExperiment({ body: { experiment: 'exp 1' } });
  });
  afterEach(() => leader[Symbol.asyncDispose]());

  it('are corrected one by one, or for all workers of an experiment', async () => {
    await using first = await addToyUnit(leader, 'rx01', {
      answer: () => ({ status: 200, body: { status: 'success' } }),
    });
    await using _second = await addToyUnit(leader, 'rx02');
    await leader.client.assignWorker({ params: { experiment: 'exp 1' }, body: { reactor_unit: 'rx01' } });
    const update = (reactor_unit: string, values: unknown = { current_volume_ml: 15 }) =>
      leader.api.call('updateBioreactor', { params: { reactor_unit, experiment: 'exp 1' }, body: { values } });
    for (const reactor_unit of ['rx01', '$broadcast']) {
      const task = await leader.finished((await update(reactor_unit)).expect(202));
      expect(task).toMatchObject({ status: 'succeeded', result: { rx01: { ok: true, unit: 'rx01', value: {} } } });
      expect(Object.keys('result' in task && task.result instanceof Object ? task.result : {})).toEqual(['rx01']);
    }
    expect(first.requests).toContainEqual(
      expect.objectContaining({
        method: 'PATCH',
        path: '/unit_api/bioreactor/experiments/exp%201',
        body: { values: { current_volume_ml: 15 } },
      }),
    );
    (await update('nobody')).expect(400, 'unit_unknown');
    const elsewhere = {
      params: { reactor_unit: 'rx01', experiment: 'exp 2' },
      body: { values: { current_volume_ml: 1 } },
    };
    (await leader.api.call('updateBioreactor', elsewhere)).expect(404, 'experiment_not_found');
    (await update('rx01', { volume: 1 })).expect(400, 'bioreactor_values_invalid');
    (await update('rx01', {})).expect(400, 'invalid_body');
  });

  it('are read one by one, or for all workers of an experiment', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    await using _free = await addToyUnit(leader, 'rx02');
    await leader.client.assignWorker({ params: { experiment: 'exp 1' }, body: { reactor_unit: 'rx01' } });
    const read = (reactor_unit: string) =>
      leader.api.call('getWorkerBioreactor', { params: { reactor_unit, experiment: 'exp 1' } });
    for (const reactor_unit of ['rx01', '$broadcast']) {
      const task = await leader.finished((await read(reactor_unit)).expect(202));
      expect(Object.keys('result' in task && task.result instanceof Object ? task.result : {})).toEqual(['rx01']);
    }
    expect(unit.requests.map(({ path }) => path)).toContain('/unit_api/bioreactor/experiments/exp%201');
    (await read('nobody')).expect(400, 'unit_unknown');
  });

  it('list their biomass signals', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    const read = (reactor_unit: string) => leader.api.call('getWorkerBiomassSignals', { params: { reactor_unit } });
    const task = await leader.finished((await read('$broadcast')).expect(202));
    expect(task).toMatchObject({ status: 'succeeded', result: { rx01: { unit: 'rx01' } } });
    expect(unit.requests.map(({ path }) => path)).toContain('/unit_api/biomass_signals');
    (await read('nobody')).expect(400, 'unit_unknown');
  });

  it('blink, one or all', async () => {
    await using first = await addToyUnit(leader, 'rx01');
    await using second = await addToyUnit(leader, 'rx02');
    const blink = (reactor_unit: string) => leader.api.call('blinkWorker', { params: { reactor_unit } });
    expect((await blink('rx01')).expect(202)).toEqual({ status: 'accepted' });
    (await blink('$broadcast')).expect(202);
    const blinks = (unit: typeof first) =>
      unit.requests.filter(({ path }) => path === '/unit_api/monitor/blink').length;
    await expect.poll(() => [blinks(first), blinks(second)]).toEqual([2, 1]);
    (await blink('nobody')).expect(400, 'unit_unknown');
    (await blink('lead')).expect(400, 'unit_unknown');
  });
});
