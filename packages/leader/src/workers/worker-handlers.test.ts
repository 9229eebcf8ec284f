import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UnitOutcome, WorkerRegistration } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { assignmentHandlers } from '../assignments/assignment-handlers.ts';
import { createExperiment } from '../experiments/create-experiment.ts';
import { ModelCatalog } from '../models/model-catalog.ts';
import { type Announcement, bodyOf, errorOf, openScopes, request, startTestLeader } from '../testing/test-leader.ts';
import { workerHandlers } from './worker-handlers.ts';

const offline = (unit: string): UnitOutcome => ({
  ok: false,
  unit,
  error: { kind: 'connection_error', message: `${unit} cannot be reached.` },
  status_code: null,
  retryable: true,
});

async function startWorld() {
  const leader = await startTestLeader();
  const checks: unknown[] = [];
  let reachable = true;
  const { fleet } = leader.context;
  const context: typeof leader.context = {
    ...leader.context,
    fleet: {
      ...fleet,
      stopJobs: async (units, stop) => {
        const outcomes = await fleet.stopJobs(units, stop);
        return reachable ? outcomes : Object.fromEntries(units.map((unit) => [unit, offline(unit)]));
      },
      checkHardware: async (unit, model) => {
        checks.push({ unit, ...model });
        return reachable ? { ok: true, unit, value: null } : offline(unit);
      },
    },
  };
  const assignments = assignmentHandlers(context, openScopes);
  let addresses: Readonly<Record<string, string>> = {};
  const models = new ModelCatalog({
    builtIn: builtInModels,
    folder: join(context.dataFolder, 'models'),
    log: leader.log,
  });
  const workers = workerHandlers(context, { models, clusterAddresses: () => addresses, defaultPort: () => 80 });
  await context.tasks.start(new AbortController().signal);
  await createExperiment(context, { experiment: 'A' });
  leader.announced.length = 0;

  return {
    ...leader,
    workers,
    checks,
    configure: (configured: Readonly<Record<string, string>>) => {
      addresses = configured;
    },
    goOffline: () => {
      reachable = false;
    },
    register: async (body: WorkerRegistration) => workers.registerWorker(request({}, body)),
    remove: async (reactor_unit: string) => workers.removeWorker(request({ reactor_unit }, undefined)),
    activate: async (reactor_unit: string, is_active: 0 | 1 | boolean) =>
      workers.setWorkerActivation(request({ reactor_unit }, { is_active })),
    get: async (reactor_unit: string) => bodyOf(await workers.getWorker(request({ reactor_unit }, undefined))),
    model: async (reactor_unit: string) => bodyOf(await workers.getWorkerModel(request({ reactor_unit }, undefined))),
    setModel: async (reactor_unit: string, model_name: string, model_version: string) =>
      workers.setWorkerModel(request({ reactor_unit }, { model_name, model_version })),
    experimentOf: async (reactor_unit: string) =>
      bodyOf(await workers.getWorkerExperiment(request({ reactor_unit }, undefined))),
    list: async () => bodyOf(await workers.listWorkers(request({}, undefined))),
    join: async (reactor_unit: string) => assignments.assignWorker(request({ experiment: 'A' }, { reactor_unit })),
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;
let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const done = (status: 200 | 201 | 202) => ({ status, body: { status: 'success' } });
const live = (announced: readonly Announcement[]) =>
  announced.flatMap((each) => ('live' in each && each.live !== 'log' ? [[each.live, each.data]] : []));
const logged = (announced: readonly Announcement[]) =>
  announced.flatMap((each) => ('live' in each && each.live === 'log' ? [each.data] : []));
const retained = (announced: readonly Announcement[]) =>
  announced.flatMap((each) => ('topic' in each && each.retain ? [[each.topic, each.payload]] : []));
const added_at = '2026-05-02T09:14:03.120Z';
const rx01 = { reactor_unit: 'rx01', added_at, is_active: 1, model_name: null, model_version: null };

describe('registering a worker', () => {
  it('adds it to the inventory: active, free, and known to the pages', async () => {
    expect(await world.register({ reactor_unit: 'rx01' })).toEqual(done(201));
    expect(await world.get('rx01')).toEqual(rx01);
    expect(live(world.announced)).toEqual([
      ['worker', rx01],
      ['assignment', { reactor_unit: 'rx01', experiment: null, is_active: 1 }],
    ]);
    expect(logged(world.announced)).toEqual([]);
    expect(retained(world.announced)).toEqual([]);
    expect(world.stops).toEqual([]);
  });

  it('leaves a known worker, its model and its assignment as they are', async () => {
    await world.register({ reactor_unit: 'rx01' });
    await world.activate('rx01', 0);
    await world.join('rx01');
    await world.clock.advance(1000);
    world.announced.length = 0;
    expect(await world.register({ reactor_unit: 'rx01', model_name: 'reactor_20ml', model_version: '1.5' })).toEqual(
      done(200),
    );
    expect(await world.get('rx01')).toEqual({ ...rx01, is_active: 0 });
    expect(await world.experimentOf('rx01')).toMatchObject({ experiment: 'A' });
    expect(world.announced).toEqual([]);
  });

  it('takes a model whole, in either spelling', async () => {
    await world.register({ reactor_unit: 'rx01', model_name: 'pioreactor_40ml', model_version: '1.0' });
    expect(await world.get('rx01')).toMatchObject({ model_name: 'reactor_40ml', model_version: '1.0' });
    await world.register({ reactor_unit: 'rx02', model_name: null, model_version: null });
    expect(await world.get('rx02')).toMatchObject({ model_name: null, model_version: null });
  });

  it('refuses half or unknown models', async () => {
    for (const model of [
      { model_name: 'reactor_40ml' },
      { model_version: '1.5' },
      { model_name: 'reactor_40ml', model_version: null },
      { model_name: 'reactor_40ml', model_version: '7' },
      { model_name: '', model_version: '' },
    ]) {
      const registering = world.register({ reactor_unit: 'rx01', ...model });
      expect(await errorOf(registering)).toMatchObject({ status: 400, code: 'model_unknown' });
    }
    expect(await world.list()).toEqual([]);
  });

  it('refuses names that no unit can have', async () => {
    const names = ['', 'all', '$broadcast', 'localhost', '192.168.0.1', 'with space', 'ä', 'x'.repeat(64)];
    for (const reactor_unit of names) {
      expect(await errorOf(world.register({ reactor_unit }))).toMatchObject({ status: 400, code: 'unit_name_invalid' });
    }
  });
});

describe('listing', () => {
  it('has workers by name, with the IPv4 address the configuration gives them', async () => {
    for (const reactor_unit of ['rx03', 'rx01', 'rx02']) await world.register({ reactor_unit });
    world.configure({ rx01: '192.168.4.21:5000', rx02: 'rx02.local' });
    expect(await world.list()).toMatchObject([
      { ...rx01, ipv4_address: '192.168.4.21' },
      { reactor_unit: 'rx02', ipv4_address: null },
      { reactor_unit: 'rx03', ipv4_address: null },
    ]);
    world.configure({ rx03: '10.0.0.3' });
    expect(await world.list()).toMatchObject([{ ipv4_address: null }, {}, { ipv4_address: '10.0.0.3' }]);
  });

  it('answers 404 for a worker that does not exist', async () => {
    for (const look of [world.get, world.experimentOf, world.model, world.remove]) {
      expect(await errorOf(look('nobody'))).toMatchObject({ status: 404, code: 'worker_not_found' });
      expect(await errorOf(look('$broadcast'))).toMatchObject({ status: 404, code: 'worker_not_found' });
    }
  });

  it('returns the experiment of a worker, or that it has none', async () => {
    await world.register({ reactor_unit: 'rx01' });
    expect(await errorOf(world.experimentOf('rx01'))).toMatchObject({ status: 404, code: 'worker_not_assigned' });
    await world.join('rx01');
    expect(await world.experimentOf('rx01')).toEqual({
      reactor_unit: 'rx01',
      is_active: 1,
      experiment: 'A',
      model_name: null,
      model_version: null,
    });
  });
});

describe('activation', () => {
  it('keeps the assignment of a worker made inactive, and stops all its jobs', async () => {
    await world.register({ reactor_unit: 'rx01' });
    await world.join('rx01');
    world.announced.length = 0;
    expect(await world.activate('rx01', false)).toEqual(done(200));
    expect(await world.get('rx01')).toMatchObject({ is_active: 0 });
    expect(await world.experimentOf('rx01')).toMatchObject({ experiment: 'A', is_active: 0 });
    expect(world.stops).toEqual([{ units: ['rx01'], request: 'all' }]);
    expect(live(world.announced).map(([name]) => name)).toEqual(['worker', 'assignment', 'experiment']);
    expect(logged(world.announced)).toMatchObject([
      { experiment: '$experiment', level: 'INFO', task: 'worker_status', message: 'Made rx01 inactive.' },
    ]);
    expect(retained(world.announced)).toEqual([]);
  });

  it('stops nothing when a worker is made active', async () => {
    await world.register({ reactor_unit: 'rx01' });
    await world.activate('rx01', 0);
    world.stops.length = 0;
    expect(await world.activate('rx01', 1)).toEqual(done(200));
    expect(await world.get('rx01')).toMatchObject({ is_active: 1 });
    expect(world.stops).toEqual([]);
  });

  it('repeats the stop of an inactive worker, and publishes nothing unchanged', async () => {
    await world.register({ reactor_unit: 'rx01' });
    await world.activate('rx01', 0);
    world.announced.length = 0;
    await world.activate('rx01', 0);
    expect(world.stops).toHaveLength(2);
    expect(world.announced).toEqual([]);
  });

  it('refuses unknown workers with 400', async () => {
    for (const unit of ['nobody', '$broadcast', 'lead']) {
      expect(await errorOf(world.activate(unit, 1))).toMatchObject({ status: 400, code: 'worker_unknown' });
    }
  });
});

describe('models', () => {
  it('are set with a check of the hardware, in either spelling', async () => {
    await world.register({ reactor_unit: 'rx01' });
    expect(await errorOf(world.model('rx01'))).toMatchObject({ status: 404, code: 'model_not_set' });
    world.announced.length = 0;
    expect(await world.setModel('rx01', 'pioreactor_20ml', '1.5')).toEqual(done(200));
    expect(await world.model('rx01')).toEqual({ reactor_unit: 'rx01', ...builtInModels[4] });
    expect(world.checks).toEqual([{ unit: 'rx01', model_name: 'reactor_20ml', model_version: '1.5' }]);
    expect(live(world.announced)).toEqual([['worker', { ...rx01, model_name: 'reactor_20ml', model_version: '1.5' }]]);
    expect(logged(world.announced)).toMatchObject([{ experiment: '$experiment', level: 'INFO', task: 'worker_model' }]);
    expect(world.stops).toEqual([]);
  });

  it('are refused when unknown, after the worker was found', async () => {
    await world.register({ reactor_unit: 'rx01' });
    expect(await errorOf(world.setModel('rx01', 'reactor_20ml', '9'))).toMatchObject({
      status: 400,
      code: 'model_unknown',
    });
    expect(await errorOf(world.setModel('$broadcast', 'none', '9'))).toMatchObject({
      status: 400,
      code: 'worker_unknown',
    });
  });

  it('warn when the unit did not check its hardware', async () => {
    await world.register({ reactor_unit: 'rx01' });
    world.goOffline();
    await world.setModel('rx01', 'reactor_20ml', '1.5');
    await vi.waitFor(
      () =>
        expect(logged(world.announced).at(-1)).toMatchObject({
          level: 'WARNING',
          message: 'Could not check the hardware of rx01. rx01 cannot be reached.',
        }),
      20_000,
    );
  });

  it('are listed, and a missing file is distinguished from a model that was never set', async () => {
    const folder = join(world.context.dataFolder, 'models');
    await mkdir(folder);
    const fields = { ...builtInModels[0], model_name: 'mine', display_name: 'Mine' };
    await writeFile(join(folder, 'mine.yaml'), JSON.stringify(fields));
    await world.register({ reactor_unit: 'rx01', model_name: 'mine', model_version: '1.5' });
    expect(bodyOf(await world.workers.listModels(request({}, undefined)))).toEqual({
      models: [...builtInModels, { ...fields, is_contrib: true }],
    });
    await rm(join(folder, 'mine.yaml'));
    expect(await errorOf(world.model('rx01'))).toMatchObject({ status: 404, code: 'model_not_registered' });
  });
});

describe('removing a worker', () => {
  const configHistory = async () =>
    (
      await world.context.database.read.selectFrom('config_histories').select('filename').orderBy('filename').execute()
    ).map(({ filename }) => filename);

  it('ends its assignment, removes its configuration, stops its jobs and publishes it', async () => {
    await world.register({ reactor_unit: 'rx01' });
    await world.join('rx01');
    await world.context.database.write(async (transaction) => {
      for (const filename of ['unit_config.ini::rx01', 'config_rx01.ini', 'unit_config.ini::rx02', 'config.ini']) {
        await transaction.insertInto('config_histories').values({ at: 1, filename, data: '' }).execute();
      }
    });
    world.announced.length = 0;
    expect(await world.remove('rx01')).toEqual(done(202));

    expect(await world.list()).toEqual([]);
    expect(await configHistory()).toEqual(['config.ini', 'unit_config.ini::rx02']);
    expect(world.stops).toEqual([{ units: ['rx01'], request: 'all' }]);
    expect(retained(world.announced)).toEqual([
      [
        'reactor/rx01/$experiment/assignment',
        { reactor_unit: 'rx01', experiment: null, assigned_at: null, updated_at: added_at },
      ],
    ]);
    expect(live(world.announced)).toMatchObject([
      ['assignment', { reactor_unit: 'rx01', experiment: null }],
      ['worker_deleted', { reactor_unit: 'rx01' }],
      ['experiment', { experiment: 'A', worker_count: 0 }],
    ]);
    expect(logged(world.announced)).toMatchObject([
      { experiment: '$experiment', level: 'INFO', task: 'assignment', message: 'Removed rx01 from the inventory.' },
    ]);
    const history = await world.context.database.read.selectFrom('assignment_history').selectAll().execute();
    expect(history).toMatchObject([{ reactor_unit: 'rx01', unassigned_at: world.clock.now() }]);
  });

  it('leaves the leader its configuration when it stops being a worker', async () => {
    await world.register({ reactor_unit: 'lead' });
    await world.context.database.write((transaction) =>
      transaction
        .insertInto('config_histories')
        .values({ at: 1, filename: 'unit_config.ini::lead', data: '' })
        .execute(),
    );
    await world.remove('lead');
    expect(await configHistory()).toEqual(['unit_config.ini::lead']);
  });

  it('warns when the unit did not receive the stop', async () => {
    await world.register({ reactor_unit: 'rx01' });
    world.goOffline();
    await world.remove('rx01');
    await vi.waitFor(
      () =>
        expect(logged(world.announced).at(-1)).toMatchObject({
          experiment: '$experiment',
          level: 'WARNING',
          message: 'Could not stop all jobs on rx01: they may still run. rx01 cannot be reached.',
        }),
      20_000,
    );
  });
});
