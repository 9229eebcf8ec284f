import { ApiError, unitJobRoutes } from '@lcs/contract';
import { HttpServer, memoryLog, realClock, serve, TaskRunner } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stirring, until, world } from '../testing/test-jobs.ts';
import { jobHandlers } from './job-handlers.ts';

const pump = stirring(
  () => {
    throw new Error('The volume must be positive.');
  },
  {
    name: 'add_media',
    allowsSeveral: true,
    settings: {},
    options: { ml: { type: 'float' } },
    validate: ({ model, options: { ml } }) => {
      if (model?.name === 'zz') throw new ApiError('model_unknown', { cause: 'There is no model zz.' });
      if (Number(ml) + 14 >= 36) throw new ApiError('job_options_invalid', { job: 'add_media', cause: 'Too much.' });
    },
  },
);
const definitions = [
  stirring(),
  stirring(undefined, { name: 'od_reading' }),
  stirring(undefined, { name: 'monitor', isLongRunning: true, settings: {} }),
  stirring(undefined, { name: 'led_intensity', stopGroup: 'leds', settings: { A: { type: 'float', default: 0 } } }),
  pump,
];

const field = (body: unknown, name: string): string => String(Reflect.get(Object(body), name));

/** The routes over a real socket, the jobs and tasks on virtual time. */
async function served() {
  const w = await world(definitions);
  const { clock, database, runtime } = w;
  const tasks = new TaskRunner({ database, clock, log: memoryLog() });
  const options = {
    runtime,
    tasks,
    database,
    clock,
    wire: clock,
    log: memoryLog(),
    unit: 'unit1',
    pid: 4711,
    leader: () => 'leader1',
  };
  const apis = [serve(unitJobRoutes, jobHandlers(options))];
  await tasks.start(new AbortController().signal);
  const shell = new HttpServer({ host: '127.0.0.1', port: 0, log: memoryLog(), clock: realClock(), apis });
  await shell.start(new AbortController().signal);
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${shell.url}/unit_api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: await response.json(),
      replayed: response.headers.get('idempotency-replayed'),
    };
  };
  /** Calls, and waits for the task that was accepted. */
  const done = async (method: string, path: string, body?: unknown) => {
    const { status, body: accepted } = await call(method, path, body);
    expect(status).toBe(202);
    const taskId = field(accepted, 'task_id');
    await until(async () => (await tasks.get(taskId))?.finishedAt !== null);
    return tasks.get(taskId);
  };
  const run = async (job: string, body: unknown = {}) => {
    await clock.advance(1_000);
    return done('POST', `/jobs/run/job_name/${job}`, body);
  };
  const stop = async () => {
    await shell.stop();
    await runtime.stop();
    await tasks.stop();
    await w[Symbol.asyncDispose]();
  };
  return { ...w, tasks, call, done, run, stop };
}

let unit: Awaited<ReturnType<typeof served>>;
beforeEach(async () => {
  unit = await served();
});
afterEach(() => unit.stop());

describe('starting a job over HTTP', () => {
  it('is accepted, and its task succeeds when the job is ready', async () => {
    const { status, body } = await unit.call('PATCH', '/jobs/run/job_name/stirring', {
      options: { 'target-rpm': '400' },
    });
    expect(status).toBe(202);
    expect(Object.keys(Object(body)).sort()).toEqual(['result_url_path', 'status', 'task_id', 'unit']);
    expect(await unit.run('od_reading', { unknown: 1 })).toMatchObject({
      status: 'succeeded',
      result: { ok: true, job_id: 2, state: 'ready' },
    });
  });

  it.each([
    ['options that are a list', { options: [] }],
    ['an environment that is not text', { env: { EXPERIMENT: 1 } }],
    ['an override of two words', { config_overrides: [['stirring.config', 'pwm_hz']] }],
    ['an unknown option', { options: { speed: 1 } }],
    ['an option without its value', { options: { target_rpm: null } }],
    ['args that the job does not take', { args: ['--ml', '30'] }],
  ])('is refused with 400: %s', async (_, body) => {
    expect((await unit.call('POST', '/jobs/run/job_name/stirring', body)).status).toBe(400);
  });

  it('takes an empty body, and a flag without a value', async () => {
    expect((await unit.call('POST', '/jobs/run/job_name/stirring')).status).toBe(202);
    expect(await unit.run('od_reading', { options: { snapshot: null } })).toMatchObject({ status: 'succeeded' });
  });

  it('knows only the jobs of the unit', async () => {
    expect((await unit.call('POST', '/jobs/run/job_name/--help', {})).status).toBe(404);
    expect((await unit.call('POST', '/jobs/run/job_name/nonsense', {})).status).toBe(404);
  });

  it('is limited to one a second per name, counting what was refused but not what was limited', async () => {
    const request = (job: string, body: unknown = {}) => unit.call('POST', `/jobs/run/job_name/${job}`, body);
    expect((await request('stirring', { options: { speed: 1 } })).status).toBe(400);
    const limited = await request('stirring');
    expect(limited).toMatchObject({ status: 429, body: { diagnostics: [{ retry_after_ms: 1000 }] } });
    expect((await request('od_reading')).status).toBe(202);
    await unit.clock.advance(999);
    expect((await request('stirring')).status).toBe(429);
    await unit.clock.advance(1);
    expect((await request('stirring')).status).toBe(202);
  });

  it('fails in its task when the job runs already', async () => {
    await unit.run('stirring');
    expect(await unit.run('stirring')).toMatchObject({
      status: 'failed',
      error: { code: 'job_already_running', error: expect.stringContaining('already running') },
    });
  });

  it("calls the job's own check: a dose to the brim and an unknown model are 400, a bad dose fails in the task", async () => {
    const dose = async (ml: number, env = {}) => {
      await unit.clock.advance(1_000);
      return (await unit.call('POST', '/jobs/run/job_name/add_media', { options: { ml }, env })).status;
    };
    expect(await dose(22)).toBe(400);
    expect(await dose(21.9)).toBe(202);
    expect(await dose(1, { MODEL_NAME: 'zz', MODEL_VERSION: '1' })).toBe(400);
    expect(await unit.run('add_media', { options: { ml: -1 } })).toMatchObject({
      status: 'failed',
      error: { cause: 'The volume must be positive.' },
    });
  });

  it('is done once per Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'a1' };
    const path = '/jobs/run/job_name/stirring';
    const [first, second] = await Promise.all([unit.call('POST', path, {}, key), unit.call('POST', path, {}, key)]);
    expect(second.body).toEqual(first.body);
    expect([first.replayed, second.replayed].sort()).toEqual([null, 'true']);
    expect(await unit.call('POST', path, {}, key)).toMatchObject({ status: 202, body: first.body, replayed: 'true' });
    expect(await unit.call('POST', path, { args: ['x'] }, key)).toMatchObject({
      body: { code: 'idempotency_key_reused' },
    });
    expect((await unit.call('POST', path, {}, { 'idempotency-key': 'no key' })).status).toBe(400);
    await unit.clock.advance(24 * 3600 * 1000);
    expect((await unit.call('POST', path, {}, key)).body).not.toEqual(first.body);
  });
});

describe('stopping jobs over HTTP', () => {
  it.each([
    ['nothing', {}],
    ['an unknown filter', { foo: 1 }],
    ['a text for the id', { job_id: '5' }],
    ['the id 0', { job_id: 0 }],
    ['null and the empty text', { job_name: null, experiment: '' }],
  ])('needs a filter: %s is 400', async (_, body) => {
    expect((await unit.call('PATCH', '/jobs/stop', body)).status).toBe(400);
  });

  it('stops what matches all filters, and nothing else', async () => {
    await unit.run('stirring');
    await unit.run('od_reading', { env: { EXPERIMENT: 'exp2' } });
    const result = async (body: unknown) => {
      const record = await unit.done('POST', '/jobs/stop', body);
      return record?.status === 'succeeded' ? record.result : record;
    };
    const nothing = { stopped: [], still_running: [] };
    expect(await result({ job_id: 1, job_name: 'od_reading' })).toEqual(nothing);
    expect(await result({ job_source: 'experiment_profile/3' })).toEqual(nothing);
    expect(await result({ experiment: 'exp1' })).toEqual({
      stopped: [{ job_name: 'stirring', job_id: 1 }],
      still_running: [],
    });
    expect((await unit.call('GET', '/jobs/running')).body).toHaveLength(1);
  });

  it('reads the filters from the query when there is no body', async () => {
    await unit.run('stirring');
    await unit.done('POST', '/jobs/stop?job_name=stirring');
    expect((await unit.call('GET', '/jobs/running')).body).toEqual([]);
  });

  it('spares long-running jobs in "stop all", but not by name', async () => {
    for (const job of ['stirring', 'monitor', 'led_intensity']) await unit.run(job);
    await unit.done('POST', '/jobs/stop/all');
    const running = async () => (await unit.call('GET', '/long_running_jobs/running')).body;
    expect(await running()).toMatchObject([{ job_name: 'monitor', experiment: '$experiment', is_long_running_job: 1 }]);
    expect((await unit.call('GET', '/jobs/running')).body).toHaveLength(1);
    await unit.done('PATCH', '/jobs/stop', { job_name: 'monitor' });
    expect(await running()).toEqual([]);
  });
});

describe('lists of jobs', () => {
  it('are empty on a fresh unit, with any filter', async () => {
    const paths = [
      '/jobs',
      '/jobs/running',
      '/jobs/running/x',
      '/jobs/running/experiments/x',
      '/long_running_jobs/running',
    ];
    for (const path of paths) expect(await unit.call('GET', path)).toMatchObject({ status: 200, body: [] });
  });

  it('have exactly the agreed keys, and the history is newest first', async () => {
    await unit.run('stirring', { env: { EXPERIMENT: 'exp1', JOB_SOURCE: 'mcp' } });
    await unit.run('od_reading');
    expect((await unit.call('GET', '/jobs/running/stirring')).body).toEqual([
      {
        job_id: 1,
        unit: 'unit1',
        reactor_unit: 'unit1',
        experiment: 'exp1',
        job_name: 'stirring',
        job_source: 'mcp',
        started_at: '2026-11-21T00:00:01.000Z',
        is_running: 1,
        leader: 'leader1',
        pid: 4711,
        is_long_running_job: 0,
        ended_at: null,
        state: 'ready',
        since: '2026-11-21T00:00:01.000Z',
        reason: null,
      },
    ]);
    expect((await unit.call('GET', '/jobs/running/experiments/exp1')).body).toHaveLength(2);
    const keys = { unit: 'unit1', reactor_unit: 'unit1', experiment: 'exp1', ended_at: null };
    expect((await unit.call('GET', '/jobs')).body).toEqual([
      { ...keys, job_id: 2, job_name: 'od_reading', job_source: 'user', started_at: '2026-11-21T00:00:02.000Z' },
      { ...keys, job_id: 1, job_name: 'stirring', job_source: 'mcp', started_at: '2026-11-21T00:00:01.000Z' },
    ]);
    expect((await unit.call('GET', '/jobs?limit=1')).body).toHaveLength(1);
  });
});

describe('settings over HTTP', () => {
  const path = '/jobs/settings/job_name/stirring';

  it('are read all at once or one by one, $state being one of them', async () => {
    await unit.run('stirring');
    expect((await unit.call('GET', path)).body).toEqual({
      settings: { $state: 'ready', target_rpm: 500, enable_dodging_od: 0 },
      job_id: 1,
    });
    expect((await unit.call('GET', `${path}/setting/target_rpm`)).body).toEqual({ target_rpm: 500 });
    expect((await unit.call('GET', `${path}/setting/$state`)).body).toEqual({ $state: 'ready' });
    expect((await unit.call('GET', `${path}/setting/constructor`)).status).toBe(404);
    await unit.done('POST', '/jobs/stop', { job_name: 'stirring' });
    expect((await unit.call('GET', path)).status).toBe(404);
    expect((await unit.call('GET', `${path}/setting/$state`)).status).toBe(404);
  });

  it('are changed, and the response has the effective values', async () => {
    expect((await unit.call('PATCH', path, { settings: { target_rpm: 1 } })).status).toBe(404);
    await unit.run('stirring');
    const answer = await unit.call('PATCH', path, {
      settings: { target_rpm: '9000', enable_dodging_od: 'on', $state: 'sleeping' },
    });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'accepted', settings: { target_rpm: 5000, enable_dodging_od: 1, $state: 'sleeping' } },
    });
    expect((await unit.call('PATCH', path, { settings: { target_rpm: 1 }, experiment: 'exp2' })).status).toBe(404);
  });

  it.each([
    ['no settings', { settings: {} }],
    ['an unknown one', { settings: { target_rpm: 300, speed: 1 } }],
    ['a read-only one', { settings: { target_rpm: 300, measured_rpm: 1 } }],
    ['a wrong type', { settings: { target_rpm: 300, interval: 'soon' } }],
    ['a value out of range', { settings: { target_rpm: 300, interval: 1000 } }],
    ['a state that is a fact', { settings: { target_rpm: 300, $state: 'lost' } }],
    ['a name that is none', { settings: { 'target rpm': 300 } }],
  ])('are left alone by a change that is not right: %s', async (_, body) => {
    await unit.run('stirring');
    expect((await unit.call('PATCH', path, body)).status).toBe(400);
    expect((await unit.call('GET', `${path}/setting/target_rpm`)).body).toEqual({ target_rpm: 500 });
  });

  it('end the job with the state disconnected', async () => {
    await unit.run('stirring');
    expect(await unit.call('PATCH', path, { settings: { $state: 'disconnected' } })).toMatchObject({
      body: { settings: { $state: 'disconnected' } },
    });
    await until(() => unit.runtime.running().length === 0);
  });
});
