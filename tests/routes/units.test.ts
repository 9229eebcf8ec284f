import { Enrolled, UnitStatus } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { startToyUnit, type ToyRecord, type ToyUnit } from '../cluster/units/toy-unit.ts';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
let unit: ToyUnit;
beforeEach(async () => {
  leader = await startLeader({ observe });
  unit = await startToyUnit('rx01');
});
afterEach(async () => {
  await unit.goDown();
  await leader[Symbol.asyncDispose]();
});

const enrol = (of: ToyUnit, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  leader.api.call('enrolUnit', { body: { ...of.enrolment(), ...more }, headers });

async function enrolled(of: ToyUnit, more: object = {}): Promise<Enrolled> {
  const answer = (await enrol(of, more)).expect(200);
  if (!Value.Check(Enrolled, answer)) throw new Error('not enrolled');
  of.leaderId = answer.leader_id;
  return answer;
}

const statuses = async (): Promise<readonly UnitStatus[]> =>
  Value.Parse(UnitStatusList, (await leader.api.call('listUnits')).expect(200));
const UnitStatusList = { type: 'array', items: UnitStatus } as const;
const discovered = async () => (await leader.api.call('discoverWorkers')).expect(200);

const entry = (message: string): ToyRecord<'log'> => ({
  kind: 'log',
  experiment_uid: '$experiment',
  at: 1,
  level: 'INFO',
  task: 'stirring',
  source: 'app',
  message,
});

describe('enrolling a unit', () => {
  it('adds it, returns the identity of the leader, and lists it as discovered', async () => {
    expect(await discovered()).toEqual([]);
    expect(await enrolled(unit, { base_url: null })).toEqual({
      leader: 'lead',
      leader_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      leader_time: leader.clock.now(),
      protocol: 1,
      worker: false,
      desired_version: 0,
      reachable: true,
      credentials: null,
    });
    expect(await discovered()).toEqual([{ reactor_unit: 'rx01' }]);
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    expect(await discovered()).toEqual([]);
  });

  it('follows a unit that is a worker at once, and gives it its document', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    const answer = await enrolled(unit, { model: { model_name: 'reactor_40ml', model_version: '1.5' } });
    expect(answer).toMatchObject({ worker: true });
    await eventually(async () => {
      expect(unit.document).toMatchObject({
        standing: 'member',
        active: true,
        experiment: { name: 'a' },
        model: { model_name: 'reactor_40ml', reactor_capacity_ml: 40 },
      });
      expect(await statuses()).toMatchObject([
        { reactor_unit: 'lead', liveness: 'online', url: leader.url, desired_version: 0 },
        {
          reactor_unit: 'rx01',
          liveness: 'online',
          url: unit.url,
          app_version: '26.11.0',
          backlog: 0,
          applied_version: unit.document?.version,
          desired_version: unit.document?.version,
          trouble: null,
        },
      ]);
    });
    expect(unit.document?.version).toBeGreaterThanOrEqual(answer.desired_version);
  });

  it('uses the configured model of the machine when it becomes a worker without one', async () => {
    await enrolled(unit, { model: { model_name: 'reactor_20ml', model_version: '1.5' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    expect(await leader.client.getWorker({ params: { reactor_unit: 'rx01' } })).toMatchObject({
      model_name: 'reactor_20ml',
      model_version: '1.5',
    });
  });

  it('fails when it cannot reach the unit, or another machine answers there', async () => {
    await using other = await startToyUnit('other');
    expect(await enrolled(unit, { base_url: other.url })).toMatchObject({ reachable: false });
    await other.goDown();
    expect(await enrolled(unit, { base_url: other.url })).toMatchObject({ reachable: false });
    expect(await enrolled(unit)).toMatchObject({ reachable: true });
  });

  it('refuses invalid names', async () => {
    (await enrol(unit, { reactor_unit: 'a b' })).expect(400, 'unit_name_invalid');
    (await enrol(unit, { reactor_unit: 'lead' })).expect(409, 'unit_name_taken');
  });

  it('refuses another protocol and lists the supported ones', async () => {
    for (const protocol of [0, 2]) {
      const answer = await enrol(unit, { protocol });
      expect(answer.expect(409, 'protocol_unsupported')).toMatchObject({
        diagnostics: [{ lowest: 1, highest: 1 }],
        cause: expect.stringContaining(String(protocol)),
        remediation: 'Update the older of the two programs.',
      });
    }
  });

  it('refuses a forwarded request before the first person exists', async () => {
    (await enrol(unit, {}, { 'x-forwarded-for': '192.168.4.21' })).expect(403, 'setup_needed');
  });

  it.each(['http://192.0.2.7:4999', 'http://no-such-host.invalid:4999'])(
    'refuses the base URL %s',
    async (base_url) => {
      (await enrol(unit, { base_url })).expect(400, 'base_url_foreign');
    },
  );

  it.each(['ftp://127.0.0.1:4999', 'http://127.0.0.1:4999/x', '127.0.0.1'])('refuses %s', async (base_url) => {
    (await enrol(unit, { base_url })).expect(400, 'invalid_body');
  });

  it('accepts the configured host of the unit', async () => {
    const config = await leader.client.getSharedConfig();
    const code = config.replace('[cluster.addresses]\n', '$&rx01=192.0.2.7\n');
    await leader.client.saveSharedConfig({ body: { code } });
    expect(await enrolled(unit, { base_url: 'http://192.0.2.7:1' })).toMatchObject({ reachable: false });
  });
});

describe('one name and another machine', () => {
  it('requires an explicit replacement, after which the old machine is refused', async () => {
    await enrolled(unit);
    await using other = await startToyUnit('rx01');
    (await enrol(other)).expect(409, 'unit_name_taken');
    await enrolled(other, { replace: true });
    (await enrol(unit)).expect(409, 'unit_replaced');
    await enrolled(unit, { replace: true });
    (await enrol(other)).expect(409, 'unit_replaced');
    await enrolled(other, { reactor_unit: 'rx02' });
  });

  it('follows the new machine from the start of its own numbering', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    const stored = () =>
      leader.storedRows('logs').flatMap(({ task, message }) => (task === 'stirring' ? [message] : []));
    unit.append(entry('one'), entry('two'));
    await enrolled(unit);
    await eventually(() => expect(stored()).toEqual(['one', 'two']));
    await using other = await startToyUnit('rx01');
    other.append(entry('three'));
    await enrolled(other, { replace: true });
    await eventually(() => expect(stored()).toEqual(['one', 'two', 'three']));
  });
});

describe('a copy of a machine', () => {
  const twice = () =>
    leader
      .storedRows('logs')
      .filter(({ message, task }) => task === 'enrolment' && String(message).includes('Two machines'));

  it('is not enrolled while the other one answers, and is logged once', async () => {
    await using copy = await startToyUnit('rx01');
    copy.machineId = unit.machineId;
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await enrolled(unit);
    for (let time = 0; time < 2; time += 1) {
      expect((await enrol(copy)).expect(409, 'machine_twice')).toMatchObject({
        error: 'There is another rx01 already.',
        cause: `A machine with the same identity works at ${unit.url}: one data folder is a copy of the other.`,
      });
    }
    expect(twice()).toMatchObject([{ level: 'ERROR', task: 'enrolment' }]);
    expect(await statuses()).toMatchObject([{ reactor_unit: 'lead' }, { reactor_unit: 'rx01', url: unit.url }]);
    await unit.goDown();
    await enrolled(copy);
    await unit.goUp();
    (await enrol(unit)).expect(409, 'machine_twice');
  });

  it('is not assumed for a machine that started again, has two addresses, or whose address is used by others', async () => {
    await enrolled(unit);
    await unit.restart();
    await enrolled(unit);
    await using second = await startToyUnit('rx01');
    Object.assign(second, { machineId: unit.machineId, instance: unit.instance });
    await enrolled(second);
    await second.goDown();
    await using elsewhere = await startToyUnit('rx07');
    await enrolled(unit, { base_url: elsewhere.url });
    await enrolled(unit);
    expect(twice()).toEqual([]);
  });
});

describe('one machine and another name', () => {
  it('is allowed while the old name is not a worker', async () => {
    await enrolled(unit);
    await enrolled(unit, { reactor_unit: 'rx02' });
    expect(await discovered()).toEqual([{ reactor_unit: 'rx02' }]);
    await leader.client.registerWorker({ body: { reactor_unit: 'rx02' } });
    (await enrol(unit)).expect(409, 'machine_registered');
  });
});

describe('a released unit', () => {
  it('learns it when it returns, and receives no further requests', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await enrolled(unit);
    await eventually(() => expect(unit.document?.standing).toBe('member'));
    await unit.goDown();
    await leader.client.removeWorker({ params: { reactor_unit: 'rx01' } });
    expect((await statuses()).map(({ reactor_unit }) => reactor_unit)).toEqual(['lead']);
    await unit.restart();
    await enrolled(unit);
    await eventually(() => expect(unit.document).toMatchObject({ standing: 'released', experiment: null }));
    const { puts } = unit;
    await unit.restart();
    await enrolled(unit);
    expect(unit.puts).toBe(puts);
  });
});
