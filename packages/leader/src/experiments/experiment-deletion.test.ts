import type { UnitOutcome } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { type ExperimentsUnderTest, startExperiments } from '../testing/test-experiments.ts';
import { bodyOf, errorOf, request, temporaryFolder } from '../testing/test-leader.ts';
import { rowsPerTransaction } from './remove-rows.ts';

const remove = async ({ handlers }: ExperimentsUnderTest, experiment: string) => {
  const answer = await handlers.deleteExperiment(request({ experiment }, undefined));
  expect(answer.status).toBe(202);
  return answer.body;
};

/** The task of the only deletion, as it ended. */
const removed = async (leader: ExperimentsUnderTest, experiment: string) => {
  const accepted = bodyOf({ body: await remove(leader, experiment) });
  expect(accepted).toMatchObject({ unit: 'lead', status: 'accepted' });
  const [task] = await leader.context.tasks.list({ kind: 'delete_experiment', limit: 1 });
  return leader.finished(task?.taskId ?? '');
};

const addLogs = ({ context }: ExperimentsUnderTest, experiment: string, count: number) =>
  context.database.write(async (transaction) => {
    const { id } = await transaction
      .selectFrom('experiments')
      .where('name', '=', experiment)
      .select('id')
      .executeTakeFirstOrThrow();
    const row = { experiment_id: id, experiment, reactor_unit: 'rx01', level: 'INFO', message: 'm' };
    const rows = Array.from({ length: count }, (_, at) => ({ ...row, at, source: 'app', task: 'stirring' }));
    for (let from = 0; from < count; from += 500) {
      await transaction
        .insertInto('logs')
        .values(rows.slice(from, from + 500))
        .execute();
    }
  });

const counts = async ({ context: { database } }: ExperimentsUnderTest) => {
  const tables = ['experiments', 'experiment_tags', 'unit_labels', 'chart_preferences', 'assignments'] as const;
  const rows = await Promise.all(tables.map((table) => database.read.selectFrom(table).selectAll().execute()));
  return Object.fromEntries(tables.map((table, index) => [table, rows[index]?.length]));
};

const neverAnswers = () => new Promise<Record<string, UnitOutcome>>(() => {});

describe('deleting an experiment', () => {
  it('is refused for one that does not exist', async () => {
    await using leader = await startExperiments();
    expect(await errorOf(remove(leader, 'nobody'))).toMatchObject({ status: 404, code: 'experiment_not_found' });
    expect(await leader.context.tasks.list()).toEqual([]);
  });

  it('frees its workers, and takes it from everywhere, before the answer comes', async () => {
    await using leader = await startExperiments({ stopJobs: neverAnswers });
    await leader.create('a', { tags: ['x'] });
    await leader.create('b');
    await leader.addWorker('rx01');
    await leader.addWorker('rx02', 0);
    await leader.assign('rx02', 'a');
    await leader.assign('rx01', 'a');
    leader.announced.length = 0;
    await remove(leader, 'a');
    expect(await leader.names()).toEqual(['b']);
    expect(await errorOf(leader.handlers.getExperiment(request({ experiment: 'a' }, undefined)))).toMatchObject({
      status: 404,
    });
    expect(await counts(leader)).toMatchObject({ assignments: 0 });
    expect(leader.announced).toMatchObject([
      {
        topic: 'reactor/rx01/$experiment/assignment',
        payload: { reactor_unit: 'rx01', experiment: null, assigned_at: null },
        retain: true,
      },
      { live: 'assignment', key: 'rx01', data: { experiment: null, is_active: 1 } },
      { topic: 'reactor/rx02/$experiment/assignment', retain: true },
      { live: 'assignment', key: 'rx02', data: { experiment: null, is_active: 0 } },
      { live: 'experiment_deleted', key: 'a', data: { experiment: 'a' } },
    ]);
    const history = await leader.context.database.read.selectFrom('assignment_history').selectAll().execute();
    expect(history.map(({ unassigned_at }) => unassigned_at)).toEqual([leader.clock.now(), leader.clock.now()]);
  });

  it('stops its jobs on all units, then removes its rows only, and reports the space', async () => {
    await using leader = await startExperiments();
    await leader.addWorker('rx01');
    for (const name of ['a', 'b']) {
      await leader.create(name, { tags: ['x', 'y'] });
      await leader.handlers.putUnitLabel(request({ experiment: name }, { unit: 'rx01', label: 'Control' }));
    }
    await addLogs(leader, 'a', 2 * rowsPerTransaction + 1);
    const task = await removed(leader, 'a');
    expect(leader.stops).toEqual([{ units: ['lead', 'rx01'], request: { experiment: 'a' } }]);
    expect(task).toMatchObject({
      status: 'succeeded',
      progress: 1,
      result: { result: true, experiment: 'a', msg: 'Deleted experiment a.', database_space: { page_size: 4096 } },
    });
    expect(await counts(leader)).toMatchObject({ experiments: 1, experiment_tags: 2, unit_labels: 1 });
    const logs = await leader.context.database.read.selectFrom('logs').select(['experiment', 'message']).execute();
    expect(logs).toEqual([
      { experiment: 'b', message: 'Created experiment b.' },
      { experiment: '$experiment', message: 'Deleted experiment a.' },
    ]);
    const space = task && 'result' in task ? bodyOf({ body: task.result }) : undefined;
    expect(space).toHaveProperty('database_space.reclaimable_bytes');
    expect(space).toEqual(
      expect.objectContaining({ database_space: expect.objectContaining({ page_count: expect.any(Number) }) }),
    );
  });

  it('does not wait longer than ten seconds for units, and names those that failed', async () => {
    await using silent = await startExperiments({ stopJobs: neverAnswers });
    await silent.create('a');
    await remove(silent, 'a');
    const [{ taskId } = { taskId: '' }] = await silent.context.tasks.list();
    await silent.wire.advanceUntil(() => silent.wire.pendingTimers > 0, 0);
    await silent.wire.advance(9_999);
    expect(await silent.context.tasks.get(taskId)).toMatchObject({ status: 'running' });
    await silent.wire.advance(1);
    expect(await silent.finished(taskId)).toMatchObject({
      status: 'succeeded',
      result: { msg: 'Deleted experiment a. Not all units confirmed in time that its jobs have stopped.' },
    });

    const error = { kind: 'connection_error', message: 'No answer from rx02.' };
    await using partial = await startExperiments({
      stopJobs: async () => ({
        rx01: { ok: true, unit: 'rx01', value: null },
        rx02: { ok: false, unit: 'rx02', error, status_code: null, retryable: true },
      }),
    });
    await partial.create('a');
    expect(await removed(partial, 'a')).toMatchObject({
      result: { msg: 'Deleted experiment a. Units that did not stop its jobs: rx02.' },
    });
  });

  it('gives the name free at once: a new experiment of that name keeps its rows and its jobs', async () => {
    const answers = Promise.withResolvers<Record<string, UnitOutcome>>();
    await using leader = await startExperiments({ stopJobs: () => answers.promise });
    await leader.create('a', { description: 'old' });
    await addLogs(leader, 'a', 10);
    const accepted = removed(leader, 'a');
    await leader.context.database.write(async () => {});
    await leader.create('a', { description: 'new' });
    answers.resolve({});
    expect(await accepted).toMatchObject({ status: 'succeeded' });
    expect(await leader.listed()).toMatchObject([{ experiment: 'a', description: 'new' }]);
    const logs = await leader.context.database.read.selectFrom('logs').select('experiment').execute();
    expect(logs).toEqual([{ experiment: 'a' }, { experiment: '$experiment' }]);
    expect(leader.stops).toHaveLength(1);
  });

  it('sends the stops at once, also while another deletion is running', async () => {
    await using leader = await startExperiments({ stopJobs: neverAnswers });
    await leader.create('a');
    await leader.create('b');
    await remove(leader, 'a');
    await remove(leader, 'b');
    await leader.wire.advanceUntil(() => leader.stops.length === 2, 0);
    const tasks = await leader.context.tasks.list();
    expect(tasks.map(({ status }) => status)).toEqual(['pending', 'running']);
  });
});

describe('a deletion that is cut by a restart', () => {
  it('continues after a restart and sends the stops again', async () => {
    await using folder = await temporaryFolder();
    const before = await startExperiments({ dataFolder: folder.path, stopJobs: neverAnswers });
    await before.create('a');
    await before.create('b');
    await addLogs(before, 'a', 100);
    await remove(before, 'a');
    await before.stop();

    await using after = await startExperiments({ dataFolder: folder.path });
    expect(await after.names()).toEqual(['b']);
    const [task] = await after.context.tasks.list({ kind: 'delete_experiment' });
    expect(await after.finished(task?.taskId ?? '')).toMatchObject({
      status: 'succeeded',
      result: { experiment: 'a' },
    });
    expect(after.stops).toEqual([{ units: ['lead'], request: { experiment: 'a' } }]);
    expect(await counts(after)).toMatchObject({ experiments: 1 });
  });

  it('does not stop the jobs of an experiment that has the name by then', async () => {
    await using folder = await temporaryFolder();
    const before = await startExperiments({ dataFolder: folder.path, stopJobs: neverAnswers });
    await before.create('a');
    await remove(before, 'a');
    await before.create('a', { description: 'new' });
    await before.stop();

    await using after = await startExperiments({ dataFolder: folder.path });
    const [task] = await after.context.tasks.list({ kind: 'delete_experiment' });
    expect(await after.finished(task?.taskId ?? '')).toMatchObject({ status: 'succeeded' });
    expect(after.stops).toEqual([]);
    expect(await after.listed()).toMatchObject([{ experiment: 'a', description: 'new' }]);
  });

  it('is taken up again when its task was cancelled', async () => {
    await using folder = await temporaryFolder();
    const before = await startExperiments({ dataFolder: folder.path, stopJobs: neverAnswers });
    await before.create('a');
    await before.create('b');
    await remove(before, 'b');
    await remove(before, 'a');
    const [waiting] = await before.context.tasks.list({ status: 'pending' });
    await before.context.tasks.cancel(waiting?.taskId ?? '');
    await before.stop();

    await using after = await startExperiments({ dataFolder: folder.path });
    const unfinished = (await after.context.tasks.list()).filter(({ status }) => status !== 'failed');
    expect(unfinished).toHaveLength(2);
    for (const { taskId } of unfinished) await after.finished(taskId);
    expect(await counts(after)).toMatchObject({ experiments: 0 });
    expect(await after.context.tasks.list({ status: 'succeeded' })).toHaveLength(2);
  });
});
