import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startToyUnit, startUnit } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

const register = (body: unknown) => leader.api.call('registerWorker', { body });
const unit = (reactor_unit: string) => ({ params: { reactor_unit } });
const model = { model_name: 'reactor_40ml', model_version: '1.5' };

describe('registering a worker', () => {
  it('adds it, active, without a model', async () => {
    expect((await register({ reactor_unit: 'rx01' })).expect(201)).toEqual({ status: 'success' });
    const worker = {
      reactor_unit: 'rx01',
      added_at: new Date(leader.clock.now()).toISOString(),
      is_active: 1,
      model_name: null,
      model_version: null,
    };
    expect((await leader.api.call('getWorker', unit('rx01'))).expect(200)).toEqual(worker);
    expect((await leader.api.call('listWorkers')).expect(200)).toEqual([{ ...worker, ipv4_address: null }]);
  });

  it('does not change a registered worker: assignment, activity, model and date', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    (await register({ reactor_unit: 'rx01', ...model })).expect(201);
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    await leader.client.setWorkerActivation({ ...unit('rx01'), body: { is_active: 0 } });
    const before = await leader.client.getWorkerExperiment(unit('rx01'));
    await leader.clock.advance(5000);
    (await register({ reactor_unit: 'rx01' })).expect(200);
    expect(await leader.client.getWorkerExperiment(unit('rx01'))).toEqual(before);
    expect(before).toMatchObject({ is_active: 0, experiment: 'a', ...model });
  });

  it('refuses other names, and adds nothing', async () => {
    const cases = [
      '',
      'a b',
      'a/b',
      'x'.repeat(64),
      '$broadcast',
      'localhost',
      'LocalHost',
      'all',
      'profiles_stopped',
      'assignments',
      '192.168.4.21',
      '::1',
      'é',
    ] as const;
    for (const reactor_unit of cases) (await register({ reactor_unit })).expect(400, 'unit_name_invalid');
    expect(await leader.client.listWorkers()).toEqual([]);
  });

  it('accepts words of the program as names', async () => {
    for (const name of ['constructor', '__proto__']) (await register({ reactor_unit: name })).expect(201);
    expect((await leader.api.call('listWorkers')).expect(200)).toMatchObject([
      { reactor_unit: '__proto__', ipv4_address: null },
      { reactor_unit: 'constructor', ipv4_address: null },
    ]);
  });

  it('accepts a model only as a registered pair, also under its older name', async () => {
    (await register({ reactor_unit: 'rx01', model_name: 'reactor_40ml' })).expect(400, 'model_unknown');
    (await register({ reactor_unit: 'rx01', model_name: 'reactor_40ml', model_version: '9' })).expect(
      400,
      'model_unknown',
    );
    (await register({ reactor_unit: 'rx01', model_name: 'reactor_40ml', model_version: 1.5 })).expect(
      400,
      'invalid_body',
    );
    (await register({ pioreactor_unit: 'rx01', model_name: 'pioreactor_40ml', model_version: '1.5' })).expect(201);
    expect(await leader.client.getWorker(unit('rx01'))).toMatchObject(model);
  });

  it('shows its configured IPv4 address', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    (await register({ reactor_unit: 'rx02' })).expect(201);
    const text = await leader.client.getSharedConfig();
    const code = text.replace('[cluster.addresses]\n', '$&rx01=192.168.4.21:8080\nrx02=rx02.example\n');
    await leader.client.saveSharedConfig({ body: { code } });
    expect(await leader.client.listWorkers()).toMatchObject([
      { reactor_unit: 'rx01', ipv4_address: '192.168.4.21' },
      { reactor_unit: 'rx02', ipv4_address: null },
    ]);
  });
});

describe('units', () => {
  it('are the leader and all workers, each once, by name', async () => {
    expect((await leader.api.call('listUnits')).expect(200)).toMatchObject([{ reactor_unit: 'lead' }]);
    for (const reactor_unit of ['rx01', 'Z', 'lead']) (await register({ reactor_unit })).expect(201);
    expect((await leader.api.call('listUnits')).expect(200)).toMatchObject([
      { reactor_unit: 'Z' },
      { reactor_unit: 'lead' },
      { reactor_unit: 'rx01' },
    ]);
  });
});

describe('removing a worker', () => {
  it('ends its assignment and keeps its records', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    (await register({ reactor_unit: 'rx01' })).expect(201);
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    expect((await leader.api.call('removeWorker', unit('rx01'))).expect(202)).toEqual({ status: 'success' });
    (await leader.api.call('getWorker', unit('rx01'))).expect(404, 'worker_not_found');
    expect(await leader.client.listExperimentWorkers({ params: { experiment: 'a' } })).toEqual([]);
    expect(await leader.client.listHistoricalAssignments({ params: { experiment: 'a' } })).toMatchObject([
      { reactor_unit: 'rx01', is_currently_assigned_to_experiment: 0 },
    ]);
    (await leader.api.call('removeWorker', unit('rx01'))).expect(404, 'worker_not_found');
    (await leader.api.call('removeWorker', unit('$broadcast'))).expect(404, 'worker_not_found');
  });
});

describe('the experiment of a worker', () => {
  it('is 404 for an unknown worker and for a free one, with different codes', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    (await leader.api.call('getWorkerExperiment', unit('rx09'))).expect(404, 'worker_not_found');
    (await leader.api.call('getWorkerExperiment', unit('rx01'))).expect(404, 'worker_not_assigned');
  });
});

describe('activity', () => {
  const activate = (is_active: unknown, reactor_unit = 'rx01') =>
    leader.api.call('setWorkerActivation', { ...unit(reactor_unit), body: { is_active } });

  it('is set by 0, 1, false or true and returned as 0 or 1', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    for (const [sent, read] of [
      [0, 0],
      [1, 1],
      [false, 0],
      [true, 1],
    ]) {
      (await activate(sent)).expect(200);
      expect(await leader.client.getWorker(unit('rx01'))).toMatchObject({ is_active: read });
    }
  });

  it('keeps the assignment of a worker that becomes inactive', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    (await register({ reactor_unit: 'rx01' })).expect(201);
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    (await activate(0)).expect(200);
    expect(await leader.client.getWorkerExperiment(unit('rx01'))).toMatchObject({ experiment: 'a', is_active: 0 });
  });

  it('refuses other values, unknown workers and all at once', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    for (const value of [2, -1, 0.5, '1', null]) (await activate(value)).expect(400, 'invalid_body');
    (await activate(1, 'rx09')).expect(400, 'worker_unknown');
    (await activate(1, '$broadcast')).expect(400, 'worker_unknown');
  });
});

describe('models', () => {
  it('lists the built-in ones first, in their order', async () => {
    const { models } = await leader.client.listModels();
    expect(models.map(({ model_name, model_version }) => `${model_name} ${model_version}`)).toEqual([
      'reactor_40ml 1.5',
      'reactor_40ml 1.0',
      'reactor_20ml 1.1',
      'reactor_20ml 1.0',
      'reactor_20ml 1.5',
      'reactor_40ml_XR 1.5',
      'reactor_20ml_XR 1.5',
    ]);
    expect(models[3]).toEqual({
      model_name: 'reactor_20ml',
      model_version: '1.0',
      display_name: 'Reactor 20 mL, v1.0',
      reactor_capacity_ml: 20,
      reactor_diameter_mm: 27,
      reactor_max_fill_volume_ml: 18,
      max_temp_to_reduce_heating: 63,
      max_temp_to_disable_heating: 65,
      max_temp_to_shutdown: 66,
      is_legacy: true,
      is_contrib: false,
    });
    (await leader.api.call('listModels')).expect(200);
  });

  it('adds those of files, marks them, and skips an invalid file with one line in the log', async () => {
    const folder = join(leader.dataFolder, 'models');
    await mkdir(folder, { recursive: true });
    const own = (name: string, version: string) =>
      `model_name: ${name}\nmodel_version: ${version}\ndisplay_name: Big one\nreactor_capacity_ml: 250\nreactor_diameter_mm: 60\n` +
      'reactor_max_fill_volume_ml: 200\nmax_temp_to_reduce_heating: 50\nmax_temp_to_disable_heating: 55\nmax_temp_to_shutdown: 60\n' +
      'is_legacy: true\nis_contrib: false\n';
    await writeFile(join(folder, 'big.yaml'), own('big_250ml', '"1.0"'));
    await writeFile(join(folder, 'number-as-version.yml'), own('bad', '1.0'));
    await writeFile(join(folder, 'broken.yaml'), 'model_name: [unclosed');
    const { models } = await leader.client.listModels();
    expect(models).toHaveLength(8);
    expect(models[7]).toMatchObject({ model_name: 'big_250ml', is_contrib: true, is_legacy: false });
    await leader.client.listModels();
    expect(leader.log.lines.filter(({ message }) => /model/i.test(message))).toHaveLength(2);
  });

  it('of a worker are set, read in full, and 404 when never set or no longer registered', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    (await leader.api.call('getWorkerModel', unit('rx09'))).expect(404, 'worker_not_found');
    (await leader.api.call('getWorkerModel', unit('rx01'))).expect(404, 'model_not_set');
    (await leader.api.call('setWorkerModel', { ...unit('rx01'), body: model })).expect(200);
    expect((await leader.api.call('getWorkerModel', unit('rx01'))).expect(200)).toMatchObject({
      reactor_unit: 'rx01',
      ...model,
      reactor_capacity_ml: 40,
    });
    const folder = join(leader.dataFolder, 'models');
    await mkdir(folder, { recursive: true });
    const own = { ...model, model_name: 'own', display_name: 'x', reactor_capacity_ml: 1, reactor_diameter_mm: 1 };
    const limits = { max_temp_to_reduce_heating: 1, max_temp_to_disable_heating: 2, max_temp_to_shutdown: 3 };
    const file = join(folder, 'own.yaml');
    await writeFile(
      file,
      JSON.stringify({ ...own, ...limits, reactor_max_fill_volume_ml: 1, is_legacy: false, is_contrib: true }),
    );
    const body = { model_name: 'own', model_version: '1.5' };
    (await leader.api.call('setWorkerModel', { ...unit('rx01'), body })).expect(200);
    await rm(file);
    (await leader.api.call('getWorkerModel', unit('rx01'))).expect(404, 'model_not_registered');
  });

  it('of a worker are refused when unknown, incomplete, or for an unknown worker', async () => {
    (await register({ reactor_unit: 'rx01' })).expect(201);
    const set = (body: unknown, name = 'rx01') => leader.api.call('setWorkerModel', { ...unit(name), body });
    (await set({ model_name: 'reactor_40ml', model_version: '7' })).expect(400, 'model_unknown');
    (await set({ model_name: 'reactor_40ml' })).expect(400, 'invalid_body');
    (await set(model, 'rx09')).expect(400, 'worker_unknown');
    (await set(model, '$broadcast')).expect(400, 'worker_unknown');
  });
});

describe('setting up a worker', () => {
  const setUp = (body: unknown) => leader.api.call('setUpWorker', { body });
  const wanted = { name: 'rx01', model: 'reactor_40ml', version: '1.5' };

  /** Without an enrolment. */
  const addressOf = async (name: string, address: string, { client } = leader) => {
    const config = await client.getSharedConfig();
    const code = config.replace('[cluster.addresses]\n', `$&${name}=${address}\n`);
    await client.saveSharedConfig({ body: { code } });
  };

  it('adds a machine that has enrolled, with its model', async () => {
    await using _joined = await startUnit({ name: 'rx01', leaderUrl: leader.url });
    await expect.poll(() => leader.client.discoverWorkers()).toEqual([{ reactor_unit: 'rx01' }]);
    expect((await setUp(wanted)).expect(200)).toEqual({ msg: 'rx01 is a worker now.' });
    expect(await leader.client.getWorker(unit('rx01'))).toMatchObject({ is_active: 1, ...model });
    (await setUp(wanted)).expect(409, 'worker_registered');
  });

  it('requests the enrolment of a machine, and waits for it', async () => {
    const machine = {
      reactor_unit: 'rx01',
      machine_id: '00000000-0000-4000-8000-000000000001',
      protocol: 1,
      app_version: '26.11.0',
      base_url: null,
      port: 1,
      epoch: '00000000-0000-4000-8000-000000000002',
      boot: 1,
      model: null,
      code: null,
      replace: false,
    };
    await using toy = await startToyUnit('rx01', {
      answer: ({ path }) => {
        if (path === '/unit_api/health') {
          return { status: 200, body: { status: 'ok', reactor_unit: 'rx01', utc_time: '2026-11-21T04:18:30.308Z' } };
        }
        if (path !== '/unit_api/enrol') return undefined;
        void leader.client.enrolUnit({ body: machine });
        return { status: 202, body: { status: 'accepted' } };
      },
    });
    await addressOf('rx01', toy.address);
    (await setUp(wanted)).expect(200);
    expect(await leader.client.getWorker(unit('rx01'))).toMatchObject({ is_active: 1, ...model });
  });

  it('reports an unreachable machine, or another machine', async () => {
    await addressOf('rx01', '127.0.0.1:9');
    const unreachable = (await setUp(wanted)).expect(502, 'worker_setup_failed');
    expect(unreachable).toMatchObject({ cause: expect.stringContaining('http://127.0.0.1:9') });
    await using other = await startToyUnit('rx02', {
      answer: () => ({ status: 200, body: { status: 'ok', reactor_unit: 'rx02' } }),
    });
    await addressOf('rx03', other.address);
    const another = (await setUp({ ...wanted, name: 'rx03' })).expect(502, 'worker_setup_failed');
    expect(another).toMatchObject({ cause: expect.stringContaining('is called rx02') });
    await using strange = await startToyUnit('rx04', { answer: () => ({ status: 200, body: 'hello' }) });
    await addressOf('rx04', strange.address);
    (await setUp({ ...wanted, name: 'rx04' })).expect(502, 'worker_setup_failed');
    expect(await leader.client.listWorkers()).toEqual([]);
  });

  it('stops waiting for a machine that does not enrol', async () => {
    const wire = new VirtualClock();
    await using patient = await startLeader({ observe, configure: { wire } });
    const isAsked = Promise.withResolvers<void>();
    await using silent = await startToyUnit('rx01', {
      answer: ({ path }) => {
        if (path === '/unit_api/enrol') isAsked.resolve();
        return { status: path === '/unit_api/health' ? 200 : 202, body: { reactor_unit: 'rx01' } };
      },
    });
    await addressOf('rx01', silent.address, patient);
    let isOver = false;
    const answer = patient.api.call('setUpWorker', { body: wanted }).finally(() => {
      isOver = true;
    });
    await isAsked.promise;
    for (let second = 0; second < 200 && !isOver; second += 1) await wire.advance(1_000);
    (await answer).expect(504, 'worker_setup_timed_out');
  });

  it('refuses invalid requests', async () => {
    (await setUp({ ...wanted, name: 'a b' })).expect(400, 'unit_name_invalid');
    (await setUp({ ...wanted, name: 'lead' })).expect(400, 'unit_name_invalid');
    (await setUp({ ...wanted, version: '9' })).expect(400, 'model_unknown');
    for (const ipv4_address of ['::1', 'here', '1.2.3']) {
      (await setUp({ ...wanted, ipv4_address })).expect(400, 'worker_address_invalid');
    }
    (await setUp({ name: 'rx01' })).expect(400, 'invalid_body');
  });
});
