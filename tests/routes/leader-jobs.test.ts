import { addToyUnit, type LeaderUnderTest, startLeader, type ToyUnit } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
const units: ToyUnit[] = [];
const [experiment, other] = ['ramp 7', 'other'];

beforeEach(async () => {
  leader = await startLeader({ observe });
  for (const name of [experiment, other]) await leader.client.createExperiment({ body: { experiment: name } });
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  for (const unit of units.splice(0)) await unit[Symbol.asyncDispose]();
});

/** A worker that answers, assigned to the experiment by default. */
async function worker(name: string, options: Parameters<typeof addToyUnit>[2] & { free?: boolean } = {}) {
  const unit = await addToyUnit(leader, name, options);
  units.push(unit);
  if (!options.free) await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: name } });
  return unit;
}

type Operation = Parameters<LeaderUnderTest['api']['call']>[0];
type Options = Parameters<LeaderUnderTest['api']['call']>[1];

/** The outcomes of the task that a call has accepted. */
async function outcomesOf(operation: Operation, options: Options): Promise<unknown> {
  const accepted = (await leader.api.call(operation, options)).expect(202);
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(`The task ${task.status}: ${JSON.stringify(task)}`);
  return task.result;
}

const jobRequests = (unit: ToyUnit | undefined) =>
  (unit?.requests ?? [])
    .filter(({ path }) => path.includes('/jobs/'))
    .map(({ method, path, body }) => ({ method, path, body }));

const started = { ok: true, job_id: 1, state: 'ready' };
const stopped = { stopped: [], still_running: [] };
const run = { params: { reactor_unit: 'rx01', job: 'stirring', experiment } };

describe('starting a job', () => {
  it.each(['runWorkerJob', 'runWorkerJobPatch', 'runUnitJob', 'runUnitJobPatch'] as const)(
    '%s sends the facts of the leader to the unit, not those of the caller',
    async (operation) => {
      const unit = await worker('rx01');
      await leader.client.setWorkerModel({
        params: { reactor_unit: 'rx01' },
        body: { model_name: 'reactor_40ml', model_version: '1.5' },
      });
      const body = {
        options: { target_rpm: 400 },
        args: [],
        config_overrides: [['stirring.config', 'pwm_hz', '100']],
        env: { JOB_SOURCE: 'mcp', EXPERIMENT: 'forged', ACTIVE: '0', HOSTNAME: 'x', MODEL_NAME: 'y' },
      };
      expect(await outcomesOf(operation, { ...run, body })).toEqual({
        rx01: { ok: true, unit: 'rx01', value: started },
      });
      expect(jobRequests(unit)).toEqual([
        {
          method: 'POST',
          path: '/unit_api/jobs/run/job_name/stirring',
          body: {
            ...body,
            env: {
              JOB_SOURCE: 'mcp',
              EXPERIMENT: experiment,
              ACTIVE: '1',
              HOSTNAME: 'rx01',
              MODEL_NAME: 'reactor_40ml',
              MODEL_VERSION: '1.5',
            },
          },
        },
      ]);
      (await leader.api.call(operation, { ...run, body: { env: { A: 1 } } })).expect(400, 'invalid_body');
      (await leader.api.call(operation, { ...run, body: { config_overrides: [['a', 'b']] } })).expect(400);
      const nowhere = { ...run, params: { ...run.params, experiment: other }, body: {} };
      (await leader.api.call(operation, nowhere)).expect(404, 'job_target_not_found');
    },
  );

  it('on all units starts it on the active workers of the experiment only, for the cluster on all active ones', async () => {
    for (const name of ['rx01', 'rx02']) await worker(name);
    await worker('rx03', { free: true });
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx02' }, body: { is_active: 0 } });
    const params = { ...run.params, reactor_unit: '$broadcast' };
    const value = { ok: true, value: started };
    expect(await outcomesOf('runWorkerJob', { params, body: {} })).toEqual({ rx01: { ...value, unit: 'rx01' } });
    expect(await outcomesOf('runUnitJob', { params: { ...params, experiment: '$experiment' }, body: {} })).toEqual({
      rx01: { ...value, unit: 'rx01' },
      rx03: { ...value, unit: 'rx03' },
    });
  });

  it('is refused for an inactive, free, moved or unknown worker, and for a leader that is not a worker', async () => {
    const unit = await worker('rx01');
    await worker('rx02', { free: true });
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx01' }, body: { is_active: 0 } });
    for (const reactor_unit of ['rx01', 'rx02', 'nobody', 'lead', '$broadcast']) {
      for (const operation of ['runWorkerJob', 'runUnitJob'] as const) {
        const answer = await leader.api.call(operation, { params: { ...run.params, reactor_unit }, body: {} });
        answer.expect(404, 'job_target_not_found');
      }
    }
    expect(jobRequests(unit).filter(({ path }) => path.includes('/run/'))).toEqual([]);
  });

  it('runs on the leader itself for a job of the leader', async () => {
    const params = { reactor_unit: 'lead', job: 'experiment_profile', experiment };
    expect(await outcomesOf('runUnitJob', { params, body: {} })).toMatchObject({ lead: { unit: 'lead' } });
    (await leader.api.call('runWorkerJob', { params, body: {} })).expect(404, 'job_target_not_found');
  });

  it('reports why each unit did not start it', async () => {
    const error = { error: 'Too soon.', cause: 'c', remediation: 'r', status: 429, code: 'job_requested_recently' };
    await worker('rx01', { answer: ({ path }) => (path.includes('/run/') ? { status: 429, body: error } : undefined) });
    await worker('rx02', {
      answer: ({ path }) =>
        path.endsWith('task_results/start')
          ? {
              status: 200,
              body: {
                status: 'failed',
                error: 'stirring is already running.',
                cause: 'job_id=4',
                remediation: 'r',
                code: 'x',
              },
            }
          : undefined,
    });
    const params = { ...run.params, reactor_unit: '$broadcast' };
    expect(await outcomesOf('runWorkerJob', { params, body: {} })).toMatchObject({
      rx01: { ok: false, error: { kind: 'http_error', message: 'Too soon.' }, status_code: 429, retryable: false },
      rx02: { ok: false, error: { kind: 'task_failed', message: 'stirring is already running.' }, status_code: 200 },
    });
  });

  it('forwards the key of the caller and the remaining time, less 50 ms', async () => {
    const unit = await worker('rx01');
    const headers = { 'idempotency-key': 'my-key', 'x-deadline-ms': '1500' };
    await outcomesOf('runWorkerJob', { ...run, body: {}, headers });
    await outcomesOf('runWorkerJob', { ...run, body: {} });
    const sent = unit.requests.filter(({ path }) => path.includes('/run/')).map((request) => request.headers);
    expect(sent[0]?.['idempotency-key']).toBe('my-key');
    expect(Number(sent[0]?.['x-deadline-ms'])).toBeGreaterThan(0);
    expect(Number(sent[0]?.['x-deadline-ms'])).toBeLessThanOrEqual(1450);
    expect(sent[1]?.['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[1]?.['x-deadline-ms']).toBe('1950');
  });

  it('refuses names that would be another address', async () => {
    await worker('rx01');
    for (const job of ['a/b', 'a.b', 'ü', '1a']) {
      (await leader.api.call('runWorkerJob', { params: { ...run.params, job }, body: {} })).expect(
        400,
        'job_name_invalid',
      );
    }
  });
});

describe('stopping', () => {
  const stop = { params: { reactor_unit: 'rx01', job_name: 'stirring', experiment } };

  it.each(['stopWorkerJob', 'stopWorkerJobPatch', 'stopUnitJob', 'stopUnitJobPatch'] as const)(
    '%s stops one job, also on a unit that has left the experiment',
    async (operation) => {
      const unit = await worker('rx01', { free: true });
      expect(await outcomesOf(operation, stop)).toEqual({ rx01: { ok: true, unit: 'rx01', value: stopped } });
      expect(jobRequests(unit)).toEqual([
        { method: 'POST', path: '/unit_api/jobs/stop', body: { job_name: 'stirring', experiment } },
      ]);
      const unknown = { params: { ...stop.params, reactor_unit: 'nobody' } };
      (await leader.api.call(operation, unknown)).expect(400, 'unit_unknown');
    },
  );

  it('on all units addresses the workers of the experiment, and with /api/units also the leader', async () => {
    await worker('rx01');
    await worker('rx02', { free: true });
    const params = { ...stop.params, reactor_unit: '$broadcast' };
    expect(await outcomesOf('stopWorkerJob', { params })).toEqual({ rx01: { ok: true, unit: 'rx01', value: stopped } });
    expect(Object.keys((await outcomesOf('stopUnitJob', { params })) as object).sort()).toEqual(['lead', 'rx01']);
  });

  it.each([
    'stopWorkerJobsOfExperiment',
    'stopWorkerJobsOfExperimentPatch',
    'stopUnitJobsOfExperiment',
    'stopUnitJobsOfExperimentPatch',
  ] as const)('%s stops all jobs of an experiment on a unit', async (operation) => {
    const unit = await worker('rx01', { free: true });
    const params = { reactor_unit: 'rx01', experiment };
    expect(await outcomesOf(operation, { params })).toEqual({ rx01: { ok: true, unit: 'rx01', value: stopped } });
    expect(jobRequests(unit)).toEqual([{ method: 'POST', path: '/unit_api/jobs/stop', body: { experiment } }]);
    (await leader.api.call(operation, { params: { ...params, reactor_unit: 'nobody' } })).expect(400, 'unit_unknown');
  });

  it('everywhere addresses every worker, assigned or not, and lists the ended profiles', async () => {
    for (const name of ['rx01', 'rx02']) await worker(name, { free: name === 'rx02' });
    const params = { reactor_unit: '$broadcast', experiment };
    expect(await outcomesOf('stopWorkerJobsOfExperiment', { params })).toMatchObject({
      rx01: { ok: true },
      rx02: { ok: true },
      profiles_stopped: [],
    });
    expect(Object.keys((await outcomesOf('stopUnitJobsOfExperiment', { params })) as object).sort()).toEqual([
      'lead',
      'rx01',
      'rx02',
    ]);
  });
});

describe('chosen units of all', () => {
  const all = { reactor_unit: '$broadcast', experiment };
  const units = 'rx01,rx03';
  const operations = [
    ['runWorkerJob', { params: { ...all, job: 'stirring' }, body: {} }],
    ['updateWorkerJob', { params: { ...all, job: 'stirring' }, body: { settings: { target_rpm: 1 } } }],
    ['stopWorkerJob', { params: { ...all, job_name: 'stirring' } }],
    ['stopWorkerJobsOfExperiment', { params: all }],
    ['stopUnitJobsOfExperiment', { params: all }],
  ] as const;

  it.each(operations)('%s addresses them only, and nothing if one of them is none', async (operation, options) => {
    for (const name of ['rx01', 'rx02', 'rx03']) await worker(name);
    await worker('rx04', { free: true });
    expect(Object.keys((await outcomesOf(operation, { ...options, query: { units } })) as object)).toEqual([
      'rx01',
      'rx03',
    ]);
    const elsewhere = await leader.api.call(operation, { ...options, query: { units: 'rx01,rx04' } });
    // A unit that has left the experiment must not keep a stop from the others, or from its own jobs.
    if (operation.startsWith('stop')) elsewhere.expect(202);
    else elsewhere.expect(404, 'worker_not_in_experiment');
    const unknown = await leader.api.call(operation, { ...options, query: { units: 'rx01,nobody' } });
    unknown.expect(404, 'worker_not_in_experiment');
    (await leader.api.call(operation, { ...options, query: { units: '' } })).expect(400, 'invalid_query');
  });

  it('must be active to start a job; nothing starts otherwise', async () => {
    const workers = [await worker('rx01'), await worker('rx02')];
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx02' }, body: { is_active: 0 } });
    for (const chosen of ['rx01,rx02', 'rx02']) {
      const options = { params: { ...all, job: 'stirring' }, body: {}, query: { units: chosen } };
      (await leader.api.call('runWorkerJob', options)).expect(409, 'job_target_inactive');
    }
    expect(workers.flatMap(jobRequests).filter(({ path }) => path.includes('/run/'))).toEqual([]);
  });

  it('are in the audit, which finds them by each of their names, and in the timeline', async () => {
    for (const name of ['rx01', 'rx02', 'rx03']) await worker(name);
    const params = { ...all, job: 'stirring' };
    await outcomesOf('runWorkerJob', { params, body: {}, query: { units: 'rx01,rx03' } });
    const query = { operation: 'runWorkerJob' };
    const entries = await leader.client.listAudit({ query: { ...query, unit: 'rx03' } });
    expect(entries).toMatchObject([{ unit: '$broadcast', units: ['rx01', 'rx03'] }]);
    expect(await leader.client.listAudit({ query: { ...query, unit: 'rx02' } })).toEqual([]);
    const seen = async (reactor_unit: string) =>
      (await leader.client.getTimeline({ params: { experiment }, query: { kinds: 'action', reactor_unit } }))
        .map(({ text }) => text)
        .filter((text) => text.startsWith('Stirring'));
    expect(await seen('rx01')).toEqual(['Stirring started on rx01 and rx03']);
    expect(await seen('rx02')).toEqual([]);
  });

  it('are ignored where one unit is addressed', async () => {
    for (const name of ['rx01', 'rx02']) await worker(name);
    expect(await outcomesOf('runWorkerJob', { ...run, body: {}, query: { units: 'rx02' } })).toMatchObject({
      rx01: { ok: true },
    });
  });
});

describe('stopping on all units at once', () => {
  it.each([
    ['pumps', { method: 'POST', path: '/unit_api/jobs/stop', body: { stop_group: 'pumps' } }],
    ['everything', { method: 'POST', path: '/unit_api/jobs/stop/all', body: {} }],
  ] as const)('stops %s of assigned and free units', async (what, request) => {
    const units = [await worker('rx01'), await worker('rx02', { free: true })];
    expect(await outcomesOf('stopEverywhere', { body: { what } })).toEqual({
      rx01: { ok: true, unit: 'rx01', value: stopped },
      rx02: { ok: true, unit: 'rx02', value: stopped },
    });
    for (const unit of units) expect(jobRequests(unit)).toEqual([request]);
  });

  it('refuses to guess what is meant', async () => {
    (await leader.api.call('stopEverywhere', { body: { what: 'heater' } })).expect(400, 'invalid_body');
  });
});

describe('changing a running job', () => {
  it.each(['updateWorkerJob', 'updateUnitJob'] as const)('%s sends all settings at once', async (operation) => {
    const unit = await worker('rx01');
    await worker('rx02', { free: true });
    const settings = { target_rpm: 450, $state: 'sleeping', enable_dodging_od: true, note: null };
    expect(await outcomesOf(operation, { ...run, body: { settings } })).toEqual({
      rx01: { ok: true, unit: 'rx01', value: { status: 'accepted', settings: {} } },
    });
    expect(jobRequests(unit)).toEqual([
      { method: 'PATCH', path: '/unit_api/jobs/settings/job_name/stirring', body: { settings, experiment } },
    ]);
    expect(await outcomesOf(operation, { ...run, body: { settings: {} } })).toEqual({});
    for (const body of [{}, { settings: { 'a/b': 1 } }, { settings: { a: {} } }, { settings: {}, more: 1 }])
      (await leader.api.call(operation, { ...run, body })).expect(400, 'invalid_body');
    const at = (reactor_unit: string) => ({ params: { ...run.params, reactor_unit }, body: { settings } });
    (await leader.api.call(operation, at('nobody'))).expect(400, 'unit_unknown');
    (await leader.api.call(operation, at('rx02'))).expect(404, 'worker_not_in_experiment');
    expect(await outcomesOf(operation, at('$broadcast'))).toMatchObject({ rx01: { ok: true } });
    expect(jobRequests(unit)).toHaveLength(2);
  });
});

describe('a start of dosing on several units that nobody has confirmed', () => {
  const message = 'The culture is above the target.';
  const confirmable = (name: string, check: { status: number; body: object }) =>
    worker(name, { answer: ({ path }) => (path.includes('/jobs/check/') ? check : undefined) });
  const free = { status: 200, body: { job_name: 'dosing_automation' } };
  const dilutes = {
    status: 200,
    body: {
      job_name: 'dosing_automation',
      warnings: [{ code: 'dilutes_at_once', message, biomass_signal: 'od', value: 1, target: 0.5 }],
    },
  };
  const running = {
    status: 409,
    body: { error: 'It runs.', cause: 'c', remediation: 'r', status: 409, code: 'job_already_running' },
  };
  const chemostat = {
    params: { reactor_unit: '$broadcast', job: 'dosing_automation', experiment },
    body: { options: { automation_name: 'chemostat' }, confirm_dilution: false },
  };
  const starts = (unit: ToyUnit) => jobRequests(unit).filter(({ path }) => path.includes('/run/'));

  it('starts on none while one needs a confirmation, and says which run already', async () => {
    const all = [
      await confirmable('rx01', dilutes),
      await confirmable('rx02', free),
      await confirmable('rx03', running),
    ];
    const unconfirmed = { ok: false, status_code: 409, error: { code: 'dilution_not_confirmed' } };
    expect(await outcomesOf('runWorkerJob', chemostat)).toMatchObject({
      rx01: { ...unconfirmed, error: { cause: message } },
      rx02: { ...unconfirmed, error: { cause: expect.stringContaining('rx01') } },
      rx03: { ok: false, error: { code: 'job_already_running' } },
    });
    expect(all.flatMap(starts)).toEqual([]);
    const confirmed = { ...chemostat, body: { ...chemostat.body, confirm_dilution: true } };
    expect(await outcomesOf('runWorkerJob', confirmed)).toMatchObject({ rx01: { ok: true }, rx02: { ok: true } });
    expect(all.map((unit) => starts(unit).length)).toEqual([1, 1, 1]);
  });

  it('starts where none needs a confirmation, or cannot be asked because it is older', async () => {
    const unknown = { error: 'No.', cause: 'c', remediation: 'r', status: 404, code: 'not_found' };
    const all = [await confirmable('rx01', free), await confirmable('rx02', { status: 404, body: unknown })];
    expect(await outcomesOf('runWorkerJob', chemostat)).toMatchObject({ rx01: { ok: true }, rx02: { ok: true } });
    expect(all.map((unit) => starts(unit).length)).toEqual([1, 1]);
  });
});

describe('a change of dosing on several units that nobody has confirmed', () => {
  const message = 'One exchange removes 80 % of the culture.';
  const confirmable = (name: string, warnings: readonly object[]) =>
    worker(name, {
      answer: ({ method, path }) =>
        method === 'POST' && path.endsWith('/settings/job_name/dosing_automation/check')
          ? { status: 200, body: { job_name: 'dosing_automation', ...(warnings.length > 0 && { warnings }) } }
          : undefined,
    });
  const most = { code: 'exchanges_most', message, value: 0.8, limit: 0.5 };
  const change = {
    params: { reactor_unit: '$broadcast', job: 'dosing_automation', experiment },
    body: { settings: { exchange_volume_ml: 12 }, confirm_dilution: false },
  };
  const changes = (unit: ToyUnit) => jobRequests(unit).filter(({ method }) => method === 'PATCH');

  it('is made on none while one needs a confirmation, and on all with it', async () => {
    const all = [await confirmable('rx01', [most]), await confirmable('rx02', [])];
    const unconfirmed = { ok: false, status_code: 409, error: { code: 'dilution_not_confirmed' } };
    expect(await outcomesOf('updateWorkerJob', change)).toMatchObject({
      rx01: { ...unconfirmed, error: { cause: message } },
      rx02: { ...unconfirmed, error: { cause: expect.stringContaining('rx01') } },
    });
    expect(all.flatMap(changes)).toEqual([]);
    const confirmed = { ...change, body: { ...change.body, confirm_dilution: true } };
    expect(await outcomesOf('updateWorkerJob', confirmed)).toMatchObject({ rx01: { ok: true }, rx02: { ok: true } });
    expect(all.map((unit) => changes(unit).length)).toEqual([1, 1]);
  });

  it('is made where none needs a confirmation, and on a unit that is asked alone', async () => {
    const all = [await confirmable('rx01', []), await confirmable('rx02', [])];
    expect(await outcomesOf('updateWorkerJob', change)).toMatchObject({ rx01: { ok: true }, rx02: { ok: true } });
    expect(all.map((unit) => changes(unit).length)).toEqual([1, 1]);
  });
});

describe('one target for the running jobs of several units', () => {
  const target = {
    params: { reactor_unit: '$broadcast', job: 'dosing_automation', experiment },
    query: { units: 'rx01,rx02,rx03' },
    body: { settings: { target_biomass: 0.4 } },
  };
  /** A unit with a calibration or without, whose turbidostat runs or not. */
  const measuring = (name: string, scale: 'od' | 'od_calibrated', isRunning = true) =>
    worker(name, {
      answer: ({ method, path }) => {
        if (path.includes('/biomass_signals')) {
          const signals = [{ signal: 'od', scale, value: 0.26, measured_at: null }];
          return { status: 200, body: { configured: 'od', automatic: 'od', signals } };
        }
        if (method !== 'GET' || !path.includes('/jobs/settings')) return undefined;
        if (isRunning)
          return { status: 200, body: { settings: { target_biomass: 0.5, biomass_signal: 'od' }, job_id: 1 } };
        const texts = { error: 'It does not run.', cause: 'It ended.', remediation: 'Start it.' };
        return { status: 404, body: { ...texts, status: 404, code: 'job_not_running' } };
      },
    });
  const changes = (unit: ToyUnit) => jobRequests(unit).filter(({ method }) => method === 'PATCH');

  it('is refused where they measure on different scales, and changes none', async () => {
    const all = [
      await measuring('rx01', 'od'),
      await measuring('rx02', 'od_calibrated'),
      await measuring('rx03', 'od'),
    ];
    const accepted = (await leader.api.call('updateWorkerJob', target)).expect(202);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'biomass_scales_differ' });
    expect(all.flatMap(changes)).toEqual([]);
  });

  it('is set where they measure on one scale, and the unit without such a job says so', async () => {
    const [one, two, none] = [
      await measuring('rx01', 'od'),
      await measuring('rx02', 'od'),
      await measuring('rx03', 'od_calibrated', false),
    ];
    expect(await outcomesOf('updateWorkerJob', target)).toMatchObject({
      rx01: { ok: true },
      rx02: { ok: true },
      rx03: { ok: false, status_code: 404 },
    });
    expect([one, two, none].map((unit) => changes(unit).length)).toEqual([1, 1, 0]);
  });
});

describe('reading', () => {
  it('running jobs addresses a worker, all workers, or all units', async () => {
    for (const name of ['rx02', 'rx01']) await worker(name, { free: name === 'rx02' });
    const ok = { ok: true, value: [] };
    const both = { rx01: { ...ok, unit: 'rx01' }, rx02: { ...ok, unit: 'rx02' } };
    const of = (reactor_unit: string) => ({ params: { reactor_unit } });
    expect(await outcomesOf('listWorkerRunningJobs', of('rx02'))).toEqual({ rx02: both.rx02 });
    expect(await outcomesOf('listUnitRunningJobs', of('rx01'))).toEqual({ rx01: both.rx01 });
    const workers = (await outcomesOf('listWorkerRunningJobs', of('$broadcast'))) as object;
    expect(workers).toEqual(both);
    expect(Object.keys(workers)).toEqual(['rx01', 'rx02']);
    expect(Object.keys((await outcomesOf('listUnitRunningJobs', of('$broadcast'))) as object)).toEqual([
      'lead',
      'rx01',
      'rx02',
    ]);
    for (const operation of ['listWorkerRunningJobs', 'listUnitRunningJobs'] as const)
      (await leader.api.call(operation, of('nobody'))).expect(400, 'unit_unknown');
    expect((await outcomesOf('listUnitRunningJobs', of('lead'))) as object).toHaveProperty('lead');
    const refused = (await leader.api.call('listWorkerRunningJobs', of('lead'))).expect(400, 'unit_unknown');
    expect(refused).toMatchObject({ error: 'Unknown worker: lead', cause: 'lead is the leader, and no worker.' });
  });

  it('settings returns those of this experiment', async () => {
    const unit = await worker('rx01');
    await worker('rx02', { free: true });
    const params = { reactor_unit: 'rx01', job_name: 'stirring', experiment };
    expect(await outcomesOf('getWorkerJobSettings', { params })).toEqual({
      rx01: { ok: true, unit: 'rx01', value: { settings: { $state: 'ready' } } },
    });
    const one = { ...params, setting: 'target_rpm' };
    expect(await outcomesOf('getWorkerJobSetting', { params: { ...one, reactor_unit: '$broadcast' } })).toEqual({
      rx01: { ok: true, unit: 'rx01', value: { target_rpm: 400 } },
    });
    expect(jobRequests(unit).map(({ path }) => path)).toEqual([
      '/unit_api/jobs/settings/job_name/stirring?experiment=ramp%207',
      '/unit_api/jobs/settings/job_name/stirring/setting/target_rpm?experiment=ramp%207',
    ]);
    for (const reactor_unit of ['rx02', 'nobody', 'lead']) {
      const elsewhere = { ...one, reactor_unit };
      (await leader.api.call('getWorkerJobSettings', { params: elsewhere })).expect(404, 'worker_not_in_experiment');
      (await leader.api.call('getWorkerJobSetting', { params: elsewhere })).expect(404, 'worker_not_in_experiment');
    }
    (await leader.api.call('getWorkerJobSetting', { params: { ...one, setting: 'a.b' } })).expect(
      400,
      'job_name_invalid',
    );
    (await leader.api.call('getWorkerJobSettings', { params: { ...params, job_name: 'a.b' } })).expect(400);
  });
});
