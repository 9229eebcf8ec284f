import { type StandInLeader, startStandInLeader, startUnit, testExperiment, type UnitUnderTest } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: StandInLeader;
let unit: UnitUnderTest;
beforeEach(async () => {
  leader = await startStandInLeader();
  unit = await startUnit({ leaderUrl: leader.url, observe });
  await leader.put(unit.url);
});
afterEach(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const stirring = { job: 'stirring' };
const both = ['POST', 'PATCH'] as const;

const started = async () => {
  const accepted = (await unit.api.call('runJob', { params: stirring, body: {} })).expect(202);
  expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded', result: { ok: true, state: 'ready' } });
};

describe.each(both)('a start by %s', (method) => {
  const run = method === 'POST' ? 'runJob' : 'runJobByPatch';

  it('makes the job run, once for each Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'start-1' };
    const call = (body: object) => unit.api.call(run, { params: stirring, body, headers });
    const accepted = (await call({})).expect(202);
    const again = await call({});
    expect(again.expect(202)).toEqual(accepted);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    (await call({ options: { target_rpm: 300 } })).expect(409, 'idempotency_key_reused');
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
    expect((await unit.client.listRunningJobsByName({ params: stirring })).length).toBe(1);
  });

  it('is refused for unknown jobs and options, and twice within a second', async () => {
    (await unit.api.call(run, { params: { job: 'levitating' }, body: {} })).expect(404, 'job_unknown');
    const options = { colour: 'red' };
    const refused = await unit.api.call(run, { params: stirring, body: { options } });
    expect(refused.expect(400, 'job_options_invalid')).toMatchObject({ field: 'colour' });
    (await unit.api.call(run, { params: stirring, body: {} })).expect(429, 'job_requested_recently');
  });

  it('has a Retry-After header, also after an unreadable body', async () => {
    for (const rawBody of ['{', '[]', '{"options":7}']) {
      const job = { job: rawBody === '{' ? 'stirring' : rawBody === '[]' ? 'od_reading' : 'growth_rate_calculating' };
      (await unit.api.call(run, { params: job, rawBody })).expect(400, 'invalid_body');
      const refused = await unit.api.call(run, { params: job, body: {} });
      refused.expect(429, 'job_requested_recently');
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    (await unit.api.call(run, { params: { job: 'levitating' }, rawBody: '{' })).expect(400, 'invalid_body');
    (await unit.api.call(run, { params: { job: 'levitating' }, body: {} })).expect(404, 'job_unknown');
  });

  it('is never too frequent when it only lowers outputs', async () => {
    const light = (percent: number) =>
      unit.api.call(run, { params: { job: 'led_intensity' }, body: { options: { B: percent } } });
    const lit = (await light(20)).expect(202);
    expect(await unit.finished(lit)).toMatchObject({ status: 'succeeded' });
    for (const percent of [10, 0, 0]) {
      const taken = (await light(percent)).expect(202);
      expect(await unit.finished(taken)).toMatchObject({ status: 'succeeded' });
    }
    (await light(20)).expect(429, 'job_requested_recently');
  });

  it('is refused when pumps would dilute at once without the requested confirmation, which may follow at once', async () => {
    const params = { job: 'dosing_automation' };
    const options = { automation_name: 'turbidostat', target_biomass: 0.5, biomass_signal: 'od' };
    const call = (confirm_dilution: boolean) => unit.api.call(run, { params, body: { options, confirm_dilution } });
    (await call(false)).expect(409, 'dilution_not_confirmed');
    (await call(true)).expect(202);
    (await call(true)).expect(429, 'job_requested_recently');
  });
});

describe('the check of a start', () => {
  const dosing = { job: 'dosing_automation' };
  const of = (options: object, params = dosing, model = 'reactor_20ml') =>
    unit.api.call('checkJobStart', {
      params,
      body: {
        options,
        env: { EXPERIMENT: testExperiment.name, MODEL_NAME: model, MODEL_VERSION: '1.5' },
        confirm_dilution: false,
      },
    });

  it('reports what a person must confirm, starts nothing and counts as no request', async () => {
    const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.5, biomass_signal: 'od' };
    expect((await of(turbidostat)).expect(200)).toMatchObject({ warnings: [{ code: 'density_unknown' }] });
    const chemostat = { automation_name: 'chemostat', duration: 1, exchange_volume_ml: 14 };
    expect((await of(chemostat)).expect(200)).toMatchObject({ warnings: [{ code: 'washes_out' }] });
    expect((await of({ automation_name: 'silent' })).expect(200)).toEqual({ job_name: 'dosing_automation' });
    expect(await unit.client.listRunningJobsByName({ params: dosing })).toEqual([]);
    await started();
    (await of({}, stirring)).expect(409, 'job_already_running');
  });

  it('refuses what a start would be refused for', async () => {
    (await of({}, { job: 'levitating' })).expect(404, 'job_unknown');
    const large = await of({ automation_name: 'turbidostat', target_biomass: 0.5, exchange_volume_ml: 99 });
    expect(large.expect(400, 'job_options_invalid')).toMatchObject({ field: 'exchange_volume_ml' });
    (await of({ automation_name: 'fed_batch', dosing_volume_ml: 5 })).expect(400, 'dose_overflows');
    (await of({ automation_name: 'chemostat' }, dosing, 'nonsense')).expect(400, 'model_unknown');
  });
});

describe('the check of a change', () => {
  const of = (job_name: string, settings: Readonly<Record<string, number>>) =>
    unit.api.call('checkJobSettings', { params: { job_name }, body: { settings } });

  it('reports what a person must confirm and what would be refused, and changes nothing', async () => {
    (await of('dosing_automation', { exchange_volume_ml: 1 })).expect(404, 'job_not_running');
    await started();
    expect((await of('stirring', { target_rpm: 450 })).expect(200)).toEqual({ job_name: 'stirring' });
    (await of('stirring', { nonsense: 1 })).expect(400, 'job_setting_invalid');
    const { settings } = await unit.client.getJobSettings({ params: { job_name: 'stirring' }, query: {} });
    expect(settings.target_rpm).not.toBe(450);
  });
});

describe.each(both)('a stop by %s', (method) => {
  const stop = method === 'POST' ? 'stopJobs' : 'stopJobsByPatch';
  const stopAll = method === 'POST' ? 'stopAllJobs' : 'stopAllJobsByPatch';

  it('ends what matches all its filters, and needs one', async () => {
    await started();
    (await unit.api.call(stop, { body: {} })).expect(400, 'job_filter_missing');
    const headers = { 'idempotency-key': 'stop-1' };
    const other = { job_name: 'stirring', experiment: 'another' };
    const none = (await unit.api.call(stop, { body: other, headers })).expect(202);
    expect(await unit.finished(none)).toMatchObject({ result: { stopped: [] } });
    (await unit.api.call(stop, { body: { job_name: 'stirring' }, headers })).expect(409, 'idempotency_key_reused');
    const accepted = (await unit.api.call(stop, { body: { experiment: testExperiment.name } })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ result: { stopped: [{ job_name: 'stirring' }] } });
  });

  it('of all keeps only monitoring jobs', async () => {
    await started();
    const headers = { 'idempotency-key': 'all-1' };
    const accepted = (await unit.api.call(stopAll, { headers })).expect(202);
    expect(await unit.finished(accepted)).toMatchObject({ result: { stopped: [{ job_name: 'stirring' }] } });
    expect((await unit.client.listRunningJobs()).every((job) => job.is_long_running_job === 1)).toBe(true);
  });

  it('of all refuses a key that another command had', async () => {
    const headers = { 'idempotency-key': 'used' };
    (await unit.api.call(stop, { body: { job_name: 'x' }, headers })).expect(202);
    (await unit.api.call(stopAll, { headers })).expect(409, 'idempotency_key_reused');
  });
});

describe('lists of jobs', () => {
  it('show running jobs by name, by experiment, and those that a stop keeps', async () => {
    await started();
    const row = {
      job_name: 'stirring',
      experiment: testExperiment.name,
      state: 'ready',
      leader: 'lead',
      unit: 'unit1',
    };
    expect((await unit.api.call('listRunningJobs')).expect(200)).toContainEqual(expect.objectContaining(row));
    for (const [operation, params, found] of [
      ['listRunningJobsByName', stirring, 1],
      ['listRunningJobsByName', { job: 'od_reading' }, 0],
      ['listRunningJobsOfExperiment', { experiment: testExperiment.name }, 1],
      ['listRunningJobsOfExperiment', { experiment: 'x' }, 0],
    ] as const) {
      expect((await unit.api.call(operation, { params })).expect(200)).toHaveLength(found);
    }
    const long = (await unit.api.call('listRunningLongJobs')).expect(200);
    expect(JSON.stringify(long)).not.toContain('stirring');
    const history = (await unit.api.call('listJobHistory', { query: { limit: 1 } })).expect(200);
    expect(history).toEqual([expect.objectContaining({ job_name: 'stirring', ended_at: null })]);
    (await unit.api.call('listJobHistory', { query: { limit: 0 } })).expect(400, 'invalid_query');
  });
});

describe('settings of a running job', () => {
  const job_name = 'stirring';

  it('can be read and changed, all or none', async () => {
    await started();
    const call = (body: object, headers = {}) =>
      unit.api.call('updateJobSettings', { params: { job_name }, body, headers });
    const headers = { 'idempotency-key': 'set-1' };
    expect((await call({ settings: { target_rpm: 300 } }, headers)).expect(202)).toMatchObject({
      settings: { target_rpm: 300 },
    });
    (await call({ settings: { target_rpm: 400 } }, headers)).expect(409, 'idempotency_key_reused');
    const refused = await call({ settings: { target_rpm: 200, measured_rpm: 1 } });
    expect(refused.expect(400, 'job_setting_invalid')).toMatchObject({ field: 'measured_rpm' });
    const settings = (await unit.api.call('getJobSettings', { params: { job_name } })).expect(200);
    expect(settings).toMatchObject({ settings: { $state: 'ready', target_rpm: 300 } });
    const one = await unit.api.call('getJobSetting', { params: { job_name, setting: 'target_rpm' } });
    expect(one.expect(200)).toEqual({ target_rpm: 300 });
    const elsewhere = { params: { job_name, setting: 'target_rpm' }, query: { experiment: 'another one' } };
    (await unit.api.call('getJobSettings', elsewhere)).expect(404, 'job_not_running');
    (await unit.api.call('getJobSetting', elsewhere)).expect(404, 'job_not_running');
    const missing = { job_name, setting: 'colour' };
    (await unit.api.call('getJobSetting', { params: missing })).expect(404, 'job_setting_not_published');
  });

  it('are not found when it does not run', async () => {
    (await unit.api.call('getJobSettings', { params: { job_name } })).expect(404, 'job_not_running');
    const body = { settings: { target_rpm: 300 } };
    (await unit.api.call('updateJobSettings', { params: { job_name }, body })).expect(404, 'job_not_running');
  });
});
