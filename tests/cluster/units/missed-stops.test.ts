import type { DesiredStop } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { startToyUnit, type ToyUnit } from './toy-unit.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let leader: LeaderUnderTest;
let unit: ToyUnit;
let uid: string;
const experiment = 'a';
const worker = { reactor_unit: 'rx01' };
const stirring = { ...worker, job_name: 'stirring', experiment };

beforeEach(async () => {
  folder = await temporaryFolder('missed-stops');
  leader = await startLeader({ dataFolder: folder.path });
  unit = await startToyUnit('rx01');
  await leader.client.createExperiment({ body: { experiment } });
  await leader.client.registerWorker({ body: worker });
  await unit.enrol(leader.url);
  await leader.client.assignWorker({ params: { experiment }, body: worker });
  uid = await eventually(() => {
    if (!unit.document?.experiment) throw new Error('The unit does not know its experiment yet.');
    return unit.document.experiment.uid;
  });
});
afterEach(async () => {
  await unit.goDown();
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

type Operation = Parameters<LeaderUnderTest['api']['call']>[0];
type Options = Parameters<LeaderUnderTest['api']['call']>[1];

async function resultOf(operation: Operation, options: Options): Promise<unknown> {
  const task = await leader.finished((await leader.api.call(operation, options)).expect(202));
  if (task.status !== 'succeeded') throw new Error(`The task ${task.status}: ${JSON.stringify(task)}`);
  return task.result;
}

/** The orders of the leader's document of the unit, as they are on disk. */
const storedOrders = (): readonly DesiredStop[] =>
  leader.storedRows('desired').flatMap(({ document }) => JSON.parse(String(document)).stop);

const promised = {
  ok: false,
  unit: 'rx01',
  error: {
    kind: 'connection_error',
    message: expect.stringMatching(/rx01 will stop (it|them) as soon as it is online again\.$/),
    remediation: expect.any(String),
  },
};
const order = { job_source: null, reason: 'stopped' };

describe('a stop for an unreachable unit', () => {
  it.each([
    ['stopWorkerJob', { params: stirring }, 'stirring'],
    ['stopUnitJob', { params: { ...stirring, reactor_unit: '$broadcast' } }, 'stirring'],
    ['stopWorkerJobsOfExperiment', { params: { ...worker, experiment } }, null],
    ['stopWorkerJobsOfExperiment', { params: { reactor_unit: '$broadcast', experiment } }, null],
    [
      'stopWorkerJobsOfExperiment',
      { params: { reactor_unit: '$broadcast', experiment }, query: { units: 'rx01' } },
      null,
    ],
    [
      'updateWorkerJob',
      { params: { ...worker, job: 'stirring', experiment }, body: { settings: { $state: 'disconnected' } } },
      'stirring',
    ],
  ] as const)('is carried out when it returns: %s', async (operation, options, job_name) => {
    await unit.goDown();
    expect(await resultOf(operation, options)).toMatchObject({ rx01: promised });
    expect(storedOrders()).toMatchObject([{ ...order, experiment_uid: uid, job_name }]);
    await unit.goUp();
    await eventually(() => expect(unit.orders).toMatchObject([{ ...order, experiment_uid: uid, job_name }]));
    // Once it is reported, it is history.
    await eventually(() => expect(storedOrders()).toEqual([]));
  });

  it('of everything, or of all pumps, is carried out when it returns', async () => {
    await unit.goDown();
    expect(await resultOf('stopEverywhere', { body: { what: 'everything' } })).toMatchObject({ rx01: promised });
    expect(storedOrders()).toMatchObject([{ ...order, experiment_uid: null, job_name: null }]);
    expect(await resultOf('stopEverywhere', { body: { what: 'pumps' } })).toMatchObject({ rx01: promised });
    expect(storedOrders().map(({ job_name }) => job_name)).toEqual(
      expect.arrayContaining(['dosing_automation', 'add_media']),
    );
    // The unit knows which of its jobs run pumps, also those of its plugins. An older version of it knows names only: no job has this one.
    const group = { ...order, experiment_uid: null, stop_group: 'pumps', job_name: expect.stringMatching(/^\(/) };
    expect(storedOrders()).toContainEqual(expect.objectContaining(group));
    await unit.goUp();
    await eventually(() =>
      expect(unit.orders.map(({ job_name }) => job_name)).toEqual(expect.arrayContaining([null, 'dosing_automation'])),
    );
  });

  it('is carried out after a restart of the leader in between', async () => {
    await unit.goDown();
    await resultOf('stopWorkerJob', { params: stirring });
    await leader.node.stop();
    leader = await startLeader({ dataFolder: folder.path, clock: leader.clock });
    await unit.goUp();
    await eventually(() => expect(unit.orders).toMatchObject([{ ...order, job_name: 'stirring' }]));
  });

  it('is ordered when the leader is shut down while the unit is stopping, and does not hold up the leader', async () => {
    unit.neverStops = true;
    await leader.api.call('stopWorkerJob', { params: stirring });
    await eventually(() => expect(unit.log).toContain('stop'));
    // Rejects when a part does not stop in time.
    await leader.node.stop();
    expect(storedOrders()).toMatchObject([{ ...order, job_name: 'stirring' }]);
    leader = await startLeader({ dataFolder: folder.path, clock: leader.clock });
    await eventually(() => expect(unit.orders).toMatchObject([{ ...order, job_name: 'stirring' }]));
  });

  it('is carried out when the worker becomes inactive, or all workers are unassigned', async () => {
    await unit.goDown();
    await leader.client.setWorkerActivation({ params: worker, body: { is_active: 0 } });
    const everything = { ...order, experiment_uid: null, job_name: null };
    await eventually(() => expect(storedOrders()).toMatchObject([everything]));
    await resultOf('unassignAllWorkers', {});
    // The newer stop takes the place of the older one. Both are of one moment: their order means nothing.
    await eventually(() => {
      const orders = storedOrders();
      expect(orders).toHaveLength(2);
      expect(orders).toContainEqual(expect.objectContaining({ reason: 'unassigned', experiment_uid: uid }));
      expect(orders).toContainEqual(expect.objectContaining(everything));
    });
  });

  it('is not ordered for a unit that answered', async () => {
    expect(await resultOf('stopWorkerJob', { params: stirring })).toMatchObject({ rx01: { ok: true } });
    expect(storedOrders()).toEqual([]);
  });
});

describe('a start after a stop that did not arrive', () => {
  const start = { params: { ...worker, job: 'stirring', experiment }, body: {} };

  it('is not stopped by it; stops of other jobs stay', async () => {
    await unit.goDown();
    await resultOf('stopWorkerJob', { params: stirring });
    await resultOf('stopWorkerJob', { params: { ...stirring, job_name: 'heating' } });
    await resultOf('runWorkerJob', start);
    expect(storedOrders()).toMatchObject([{ job_name: 'heating' }]);
    await unit.goUp();
    await eventually(() => expect(unit.orders).toMatchObject([{ job_name: 'heating' }]));
  });

  it.each([
    ['everything', 'stopWorkerJobsOfExperiment', { params: { ...worker, experiment } }],
    ['the pumps', 'stopEverywhere', { body: { what: 'pumps' } }],
  ] as const)('arrives after the order to stop %s, which other jobs still need', async (_, stop, options) => {
    await unit.goDown();
    await resultOf(stop, options);
    await unit.goUp();
    expect(await resultOf('runWorkerJob', start)).toMatchObject({ rx01: { ok: true } });
    expect(unit.log.indexOf('order')).toBeGreaterThanOrEqual(0);
    expect(unit.log.indexOf('order')).toBeLessThan(unit.log.indexOf('run'));
  });
});
