import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'a' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const labels = async (experiment = 'a') =>
  (await leader.api.call('getUnitLabels', { params: { experiment } })).expect(200);

describe.each(['putUnitLabel', 'patchUnitLabel'] as const)('%s', (operation) => {
  const set = (unit: unknown, label: unknown, experiment = 'a') =>
    leader.api.call(operation, { params: { experiment }, body: { unit, label } });

  it('sets, changes and (with an empty or blank label) removes the label of a unit', async () => {
    expect((await set('rx01', ' Control ')).expect(201)).toEqual({ status: 'success' });
    expect(await labels()).toEqual({ rx01: 'Control' });
    (await set('rx01', 'Ramp')).expect(201);
    (await set('rx02', 'Control')).expect(201);
    expect(await labels()).toEqual({ rx01: 'Ramp', rx02: 'Control' });
    (await set('rx01', '')).expect(201);
    (await set('rx02', '   ')).expect(201);
    expect(await labels()).toEqual({});
  });

  it('accepts a unit that is not in the inventory, and repeating a label', async () => {
    (await set('gone', 'Control')).expect(201);
    (await set('gone', 'Control')).expect(201);
    expect(await labels()).toEqual({ gone: 'Control' });
  });

  it('accepts `current` as the latest experiment', async () => {
    await leader.client.createExperiment({ body: { experiment: 'b' } });
    (await set('rx01', 'Now', 'current')).expect(201);
    expect(await labels('b')).toEqual({ rx01: 'Now' });
    expect(await labels('current')).toEqual({ rx01: 'Now' });
  });

  it('does not let one unit take the label of another', async () => {
    (await set('rx01', 'Control')).expect(201);
    (await set('rx02', 'Control')).expect(409, 'label_taken');
    expect(await labels()).toEqual({ rx01: 'Control' });
  });

  it('does not let a unit take the name of another unit, whatever its case', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx02' } });
    await leader.client.putUnitLabel({ params: { experiment: 'a' }, body: { unit: 'old', label: 'x' } });
    for (const label of ['rx02', 'RX02', 'old']) (await set('rx01', label)).expect(409, 'label_taken');
    (await set('rx02', 'rx02')).expect(201);
    expect(await labels()).toEqual({ old: 'x', rx02: 'rx02' });
  });

  it('answers 404 for an unknown experiment and 400 for an invalid label', async () => {
    (await set('rx01', 'x', 'nobody')).expect(404, 'experiment_not_found');
    (await set('rx01', null)).expect(400, 'invalid_body');
    (await set('rx01', 'x'.repeat(101))).expect(400, 'label_invalid');
    (await set('rx01', 'a\nb')).expect(400, 'label_invalid');
    expect(await labels()).toEqual({});
    expect(await labels('nobody')).toEqual({});
  });
});

it('keeps labels of a removed worker', async () => {
  await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
  await leader.client.putUnitLabel({ params: { experiment: 'a' }, body: { unit: 'rx01', label: 'x' } });
  await leader.client.removeWorker({ params: { reactor_unit: 'rx01' } });
  expect(await labels()).toEqual({ rx01: 'x' });
});

it('names the unit that already has the label', async () => {
  await leader.client.putUnitLabel({ params: { experiment: 'a' }, body: { unit: 'rx01', label: 'x' } });
  const body = { unit: '__proto__', label: 'x' };
  const answer = await leader.api.call('putUnitLabel', { params: { experiment: 'a' }, body });
  expect(answer.expect(409)).toMatchObject({ cause: expect.stringContaining('rx01') });
});
