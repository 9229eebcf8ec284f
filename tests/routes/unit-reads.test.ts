import { addToyUnit, type LeaderUnderTest, startLeader, startUnit, type ToyUnit } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
let unit: ToyUnit;
beforeEach(async () => {
  leader = await startLeader({ observe });
  unit = await addToyUnit(leader, 'rx01');
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  await unit[Symbol.asyncDispose]();
});

const reads = {
  getUnitAppVersion: '/unit_api/versions/app',
  getUnitUiVersion: '/unit_api/versions/ui',
  getUnitCapabilities: '/unit_api/capabilities',
  getWorkerCapabilities: '/unit_api/capabilities',
} as const;

async function outcomesOf(operation: keyof typeof reads, reactor_unit: string): Promise<object> {
  const task = await leader.finished((await leader.api.call(operation, { params: { reactor_unit } })).expect(202));
  if (task.status !== 'succeeded' || !(task.result instanceof Object)) throw new Error(`The task is ${task.status}.`);
  return task.result;
}

describe.each(Object.entries(reads))('%s', (name, path) => {
  const operation = Object.keys(reads).find((each): each is keyof typeof reads => each === name) ?? 'getUnitAppVersion';

  it('reads from one unit, once for several requests in a row', async () => {
    const value = path.endsWith('capabilities') ? [] : { version: '26.11.0' };
    const outcomes = { rx01: { ok: true, unit: 'rx01', value } };
    for (let time = 0; time < 3; time += 1) expect(await outcomesOf(operation, 'rx01')).toEqual(outcomes);
    expect(unit.requests.filter((request) => request.path === path)).toHaveLength(1);
  });

  it('reads from all of them, by name, and lists those that did not answer', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx00' } });
    const outcomes = await outcomesOf(operation, '$broadcast');
    const workers = ['rx00', 'rx01'];
    expect(Object.keys(outcomes)).toEqual(operation === 'getWorkerCapabilities' ? workers : ['lead', ...workers]);
    expect(outcomes).toMatchObject({
      rx00: { ok: false, error: { kind: 'connection_error' }, status_code: null, retryable: true },
      rx01: { ok: true },
    });
  });

  it('refuses another unit', async () => {
    (await leader.api.call(operation, { params: { reactor_unit: 'nobody' } })).expect(400, 'unit_unknown');
  });
});

it('capabilities of a leader that is no worker are read as those of a unit, not of a worker', async () => {
  const lead = { params: { reactor_unit: 'lead' } };
  expect(await outcomesOf('getUnitCapabilities', 'lead')).toMatchObject({ lead: { ok: true } });
  (await leader.api.call('getWorkerCapabilities', lead)).expect(400, 'unit_unknown');
});

it('lists equal capabilities of the workers that are online once', async () => {
  for (const name of ['rx02', 'rx03']) await leader.client.registerWorker({ body: { reactor_unit: name } });
  await using _second = await startUnit({ name: 'rx02', leaderUrl: leader.url });
  await using _third = await startUnit({ name: 'rx03', leaderUrl: leader.url });
  const list = async () => (await leader.api.call('listDistinctCapabilities', {})).expect(200);
  // The first one has never been heard of.
  await expect
    .poll(list, { timeout: 10_000 })
    .toMatchObject({ groups: [{ units: ['rx02', 'rx03'] }], failed: ['rx01'] });
});
