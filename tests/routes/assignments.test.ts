import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  for (const experiment of ['a', 'b']) await leader.client.createExperiment({ body: { experiment } });
  for (const reactor_unit of ['rx02', 'rx01']) await leader.client.registerWorker({ body: { reactor_unit } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const assign = (experiment: string, reactor_unit: unknown) =>
  leader.api.call('assignWorker', { params: { experiment }, body: { reactor_unit } });
const unassign = (experiment: string, reactor_unit: string) =>
  leader.api.call('unassignWorker', { params: { experiment, reactor_unit } });
const assignments = async () => (await leader.api.call('listAssignments')).expect(200);

describe('assigning a worker', () => {
  it('is shown in the experiment, in the assignments and for the worker', async () => {
    expect((await assign('a', 'rx01')).expect(200)).toEqual({ status: 'success' });
    const params = { experiment: 'a' };
    expect((await leader.api.call('listExperimentWorkers', { params })).expect(200)).toEqual([
      { reactor_unit: 'rx01', is_active: 1, model_name: null, model_version: null },
    ]);
    expect(await assignments()).toEqual([
      { reactor_unit: 'rx01', experiment: 'a', is_active: 1 },
      { reactor_unit: 'rx02', experiment: null, is_active: 1 },
    ]);
    const unit = { reactor_unit: 'rx01' };
    expect((await leader.api.call('getWorkerExperiment', { params: unit })).expect(200)).toEqual({
      reactor_unit: 'rx01',
      is_active: 1,
      experiment: 'a',
      model_name: null,
      model_version: null,
    });
  });

  it('changes nothing when it is assigned there already', async () => {
    (await assign('a', 'rx01')).expect(200);
    const before = leader.storedRows('assignment_history');
    await leader.clock.advance(5000);
    (await assign('a', 'rx01')).expect(200);
    expect(leader.storedRows('assignment_history')).toEqual(before);
    expect(leader.storedRows('logs').filter(({ task }) => task === 'assignment')).toHaveLength(1);
  });

  it('moves a worker of another experiment, closing one period of its history and opening the next', async () => {
    (await assign('a', 'rx01')).expect(200);
    await leader.clock.advance(5000);
    (await assign('b', 'rx01')).expect(200);
    const start = leader.clock.now() - 5000;
    expect(leader.storedRows('assignment_history')).toMatchObject([
      { experiment: 'a', assigned_at: start, unassigned_at: start + 5000 },
      { experiment: 'b', assigned_at: start + 5000, unassigned_at: null },
    ]);
  });

  it('works for an inactive worker, and accepts the older name of the field', async () => {
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx01' }, body: { is_active: 0 } });
    const body = { pioreactor_unit: 'rx01' };
    (await leader.api.call('assignWorker', { params: { experiment: 'a' }, body })).expect(200);
    expect(await assignments()).toMatchObject([{ experiment: 'a', is_active: 0 }, { experiment: null }]);
  });

  it('is logged under the experiment, not under the cluster', async () => {
    (await assign('a', 'rx01')).expect(200);
    expect(leader.storedRows('logs')).toContainEqual(
      expect.objectContaining({ experiment: 'a', reactor_unit: 'lead', level: 'INFO', task: 'assignment' }),
    );
  });

  it('answers 400 for an unknown worker, $broadcast, or a leader that is not a worker; 404 for an unknown experiment', async () => {
    (await assign('a', 'rx09')).expect(400, 'worker_unknown');
    (await assign('a', '$broadcast')).expect(400, 'worker_unknown');
    (await assign('a', 'lead')).expect(400, 'worker_unknown');
    (await assign('a', 5)).expect(400, 'invalid_body');
    (await assign('nobody', 'rx01')).expect(404, 'experiment_not_found');
    expect(await assignments()).toMatchObject([{ experiment: null }, { experiment: null }]);
  });
});

describe('unassigning', () => {
  it('frees one worker', async () => {
    (await assign('a', 'rx01')).expect(200);
    expect((await unassign('a', 'rx01')).expect(200)).toEqual({ status: 'success' });
    expect(await assignments()).toMatchObject([{ experiment: null }, { experiment: null }]);
    (await unassign('a', 'rx01')).expect(404, 'worker_not_in_experiment');
  });

  it('answers 400 for an unknown worker, 404 for one of another experiment', async () => {
    (await unassign('a', 'rx09')).expect(400, 'worker_unknown');
    (await unassign('a', '$broadcast')).expect(400, 'worker_unknown');
    (await unassign('nobody', 'rx01')).expect(404, 'worker_not_in_experiment');
    (await assign('b', 'rx01')).expect(200);
    (await unassign('a', 'rx01')).expect(404, 'worker_not_in_experiment');
    expect(await assignments()).toMatchObject([{ experiment: 'b' }, { experiment: null }]);
  });

  it('frees all workers of one experiment before it answers, and stops the experiment on every worker', async () => {
    (await assign('a', 'rx01')).expect(200);
    (await assign('b', 'rx02')).expect(200);
    const accepted = (await leader.api.call('unassignExperimentWorkers', { params: { experiment: 'a' } })).expect(202);
    expect(await assignments()).toMatchObject([{ experiment: null }, { experiment: 'b' }]);
    expect(await leader.finished(accepted)).toMatchObject({
      status: 'succeeded',
      result: {
        rx01: { ok: false, unit: 'rx01', error: { kind: 'connection_error' }, status_code: null, retryable: true },
        rx02: { ok: false, unit: 'rx02' },
      },
    });
    const nobody = { params: { experiment: 'nobody' } };
    (await leader.api.call('unassignExperimentWorkers', nobody)).expect(404, 'experiment_not_found');
  });

  it('frees all workers of all experiments', async () => {
    (await assign('a', 'rx01')).expect(200);
    (await assign('b', 'rx02')).expect(200);
    const accepted = (await leader.api.call('unassignAllWorkers')).expect(202);
    expect(await assignments()).toMatchObject([{ experiment: null }, { experiment: null }]);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded', result: { rx01: {}, rx02: {} } });
    expect(leader.storedRows('assignment_history').every((row) => row.unassigned_at !== null)).toBe(true);
  });

  it('does nothing when there are no workers', async () => {
    for (const reactor_unit of ['rx01', 'rx02']) await leader.client.removeWorker({ params: { reactor_unit } });
    const accepted = (await leader.api.call('unassignAllWorkers')).expect(202);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded', result: {} });
  });
});

it('lists no workers for an unknown experiment', async () => {
  const params = { experiment: 'nobody' };
  expect((await leader.api.call('listExperimentWorkers', { params })).expect(200)).toEqual([]);
});
