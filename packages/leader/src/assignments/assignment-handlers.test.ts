import { isObject, type UnitOutcome } from '@lcs/contract';
import { explain } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createExperiment } from '../experiments/create-experiment.ts';
import { setUnitLabel } from '../experiments/unit-labels.ts';
import { assignmentsOfAll, workersOfExperiment } from '../queries/assignments.ts';
import { type Announcement, bodyOf, errorOf, openScopes, request, startTestLeader } from '../testing/test-leader.ts';
import { assignmentHandlers } from './assignment-handlers.ts';
import { republishAssignments } from './republish-assignments.ts';

const unreachable = (units: readonly string[]): Record<string, UnitOutcome> =>
  Object.fromEntries(
    units.map((unit) => [
      unit,
      {
        ok: false,
        unit,
        error: { kind: 'connection_error', message: `${unit} cannot be reached.`, cause: 'It has not enrolled.' },
        status_code: null,
        retryable: true,
      },
    ]),
  );

async function startWorld(stopJobs?: (units: readonly string[]) => Record<string, UnitOutcome>) {
  const leader = await startTestLeader(stopJobs ? { stopJobs: async (units) => stopJobs(units) } : {});
  const assignments = assignmentHandlers(leader.context, openScopes);
  await leader.context.tasks.start(new AbortController().signal);
  for (const unit of ['rx01', 'rx02', 'rx03']) await leader.addWorker(unit, unit === 'rx03' ? 0 : 1);
  for (const experiment of ['A', 'B']) await createExperiment(leader.context, { experiment });
  leader.announced.length = 0;
  const { database, tasks } = leader.context;

  return {
    ...leader,
    assignments,
    put: async (experiment: string, reactor_unit: string) =>
      assignments.assignWorker(request({ experiment }, { reactor_unit })),
    remove: async (experiment: string, reactor_unit: string) =>
      assignments.unassignWorker(request({ experiment, reactor_unit }, undefined)),
    removeAllOf: async (experiment: string) =>
      assignments.unassignExperimentWorkers(request({ experiment }, undefined)),
    removeAll: async () => assignments.unassignAllWorkers(request({}, undefined)),
    list: async () => bodyOf(await assignments.listAssignments(request({}, undefined))),
    history: () =>
      database.read
        .selectFrom('assignment_history')
        .select(['reactor_unit', 'experiment', 'assigned_at', 'unassigned_at'])
        .orderBy('id')
        .execute(),
    /** Waits for the result of the task that was accepted last. */
    result: () =>
      vi.waitFor(async () => {
        const [record] = await tasks.list({ limit: 1 });
        if (record?.status !== 'succeeded') throw new Error(`The task is ${record?.status}.`);
        return record.result;
      }, 20_000),
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;
let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const success = { status: 200, body: { status: 'success' } };
const now = '2026-05-02T09:14:03.120Z';
const named = (announced: readonly Announcement[], name: string) =>
  announced.filter((each) => 'live' in each && each.live === name);
const messages = (announced: readonly Announcement[]) =>
  announced.flatMap((each) => ('topic' in each && each.retain ? [each] : []));
const logged = (announced: readonly Announcement[]) =>
  announced.flatMap((each) => ('live' in each && each.live === 'log' ? [each.data] : []));

describe('assigning a worker whose name is the label of another unit', () => {
  it('is logged as a warning, once, and only in that experiment', async () => {
    // The unit was added after the label.
    await setUnitLabel(world.context, 'A', { unit: 'rx01', label: 'rx09' });
    await world.addWorker('rx09');
    world.announced.length = 0;
    expect(await world.put('A', 'rx09')).toEqual(success);
    await world.put('A', 'rx09');
    await world.put('A', 'rx01');
    await world.put('B', 'rx09');
    expect(logged(world.announced).filter((entry) => isObject(entry) && entry.level === 'WARNING')).toMatchObject([
      { experiment: 'A', reactor_unit: 'lead', task: 'assignment', message: expect.stringMatching(/rx09.*rx01/) },
    ]);
  });
});

describe('assigning a worker', () => {
  it('is published to the unit, the web UI and the log of the experiment, and opens a row of the history', async () => {
    expect(await world.put('A', 'rx01')).toEqual(success);
    expect(await world.list()).toEqual([
      { reactor_unit: 'rx01', experiment: 'A', is_active: 1 },
      { reactor_unit: 'rx02', experiment: null, is_active: 1 },
      { reactor_unit: 'rx03', experiment: null, is_active: 0 },
    ]);
    expect(messages(world.announced)).toEqual([
      {
        topic: 'reactor/rx01/$experiment/assignment',
        payload: { reactor_unit: 'rx01', experiment: 'A', assigned_at: now, updated_at: now },
        retain: true,
      },
    ]);
    expect(named(world.announced, 'assignment')).toEqual([
      { live: 'assignment', key: 'rx01', data: { reactor_unit: 'rx01', experiment: 'A', is_active: 1 } },
    ]);
    expect(named(world.announced, 'experiment')).toMatchObject([{ key: 'A', data: { worker_count: 1 } }]);
    expect(logged(world.announced)).toMatchObject([
      { experiment: 'A', reactor_unit: 'lead', level: 'INFO', task: 'assignment', message: 'Assigned rx01 to A.' },
    ]);
    expect(await world.history()).toMatchObject([{ reactor_unit: 'rx01', experiment: 'A', unassigned_at: null }]);
    expect(world.stops).toEqual([]);
  });

  it('changes and announces nothing when it is repeated', async () => {
    await world.put('A', 'rx01');
    await world.clock.advance(1000);
    const history = await world.history();
    world.announced.length = 0;
    expect(await world.put('A', 'rx01')).toEqual(success);
    expect(await world.history()).toEqual(history);
    expect(world.announced).toEqual([]);
    expect(world.stops).toEqual([]);
  });

  it('moves a worker of another experiment and stops its jobs there', async () => {
    await world.put('A', 'rx01');
    await world.clock.advance(5000);
    world.announced.length = 0;
    await world.put('B', 'rx01');
    const [closed, open] = await world.history();
    expect(closed).toMatchObject({ experiment: 'A', unassigned_at: world.clock.now() });
    expect(open).toMatchObject({ experiment: 'B', assigned_at: world.clock.now(), unassigned_at: null });
    expect(world.stops).toEqual([{ units: ['rx01'], request: { experiment: 'A' } }]);
    expect(messages(world.announced)).toMatchObject([{ payload: { experiment: 'B' } }]);
    expect(named(world.announced, 'experiment')).toMatchObject([
      { key: 'B', data: { worker_count: 1 } },
      { key: 'A', data: { worker_count: 0 } },
    ]);
    expect(logged(world.announced)).toMatchObject([{ experiment: 'B' }]);
  });

  it('takes inactive workers', async () => {
    expect(await world.put('A', 'rx03')).toEqual(success);
    expect(bodyOf(await world.assignments.listExperimentWorkers(request({ experiment: 'A' }, undefined)))).toEqual([
      { reactor_unit: 'rx03', is_active: 0, model_name: null, model_version: null },
    ]);
  });

  it('refuses an unknown worker before an unknown experiment', async () => {
    for (const unit of ['nobody', '$broadcast', 'lead']) {
      expect(await errorOf(world.put('none', unit))).toMatchObject({ status: 400, code: 'worker_unknown' });
    }
    expect(await errorOf(world.put('none', 'rx01'))).toMatchObject({ status: 404, code: 'experiment_not_found' });
    expect(world.announced).toEqual([]);
    expect(await world.history()).toEqual([]);
  });

  it('warns in the log of the old experiment when the jobs there could not be stopped', async () => {
    await world[Symbol.asyncDispose]();
    world = await startWorld(unreachable);
    await world.put('A', 'rx01');
    await world.put('B', 'rx01');
    await vi.waitFor(() => expect(logged(world.announced)).toHaveLength(3), 20_000);
    expect(logged(world.announced)[2]).toMatchObject({
      level: 'WARNING',
      experiment: 'A',
      message: 'Could not stop the jobs of A on rx01: they may still run. rx01 cannot be reached. It has not enrolled.',
    });
  });
});

describe('unassigning one worker', () => {
  it('frees it, closes the history and stops its jobs', async () => {
    await world.put('A', 'rx01');
    world.announced.length = 0;
    expect(await world.remove('A', 'rx01')).toEqual(success);
    expect(await world.history()).toMatchObject([{ unassigned_at: world.clock.now() }]);
    expect(world.stops).toEqual([{ units: ['rx01'], request: { experiment: 'A' } }]);
    expect(messages(world.announced)).toMatchObject([{ payload: { experiment: null, assigned_at: null } }]);
    expect(logged(world.announced)).toMatchObject([{ experiment: 'A', message: 'Unassigned rx01 from A.' }]);
  });

  it('refuses an unknown worker with 400, and one that is not in the experiment with 404', async () => {
    await world.put('B', 'rx01');
    expect(await errorOf(world.remove('A', '$broadcast'))).toMatchObject({ status: 400, code: 'worker_unknown' });
    expect(await errorOf(world.remove('none', 'nobody'))).toMatchObject({ status: 400, code: 'worker_unknown' });
    for (const [experiment, unit] of [
      ['A', 'rx01'],
      ['none', 'rx01'],
      ['A', 'rx02'],
    ] as const) {
      expect(await errorOf(world.remove(experiment, unit))).toMatchObject({
        status: 404,
        code: 'worker_not_in_experiment',
      });
    }
  });

  it('never ends an assignment before it began, even when the clock was set back', async () => {
    await world.put('A', 'rx01');
    const begun = world.clock.now();
    world.clock.stepWallClock(-60_000);
    await world.remove('A', 'rx01');
    expect(await world.history()).toMatchObject([{ assigned_at: begun, unassigned_at: begun }]);
  });
});

describe('unassigning all workers', () => {
  it('of an experiment frees them at once and requests every worker to stop its jobs', async () => {
    await world.put('A', 'rx01');
    await world.put('A', 'rx03');
    await world.put('B', 'rx02');
    world.announced.length = 0;
    const { status, body } = await world.removeAllOf('A');
    expect(status).toBe(202);
    expect(body).toEqual({
      unit: 'lead',
      task_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      result_url_path: expect.stringMatching(/^\/unit_api\/task_results\/[0-9a-f-]{36}$/),
      status: 'accepted',
    });
    expect(await world.list()).toMatchObject([{ experiment: null }, { experiment: 'B' }, { experiment: null }]);
    expect(await world.result()).toEqual(
      Object.fromEntries(
        ['rx01', 'rx02', 'rx03'].map((unit) => [unit, { ok: true, unit, value: { stopped: [], still_running: [] } }]),
      ),
    );
    expect(world.stops.at(-1)?.request).toEqual({ experiment: 'A' });
    expect(messages(world.announced).map(({ topic }) => topic)).toEqual([
      'reactor/rx01/$experiment/assignment',
      'reactor/rx03/$experiment/assignment',
    ]);
    expect(named(world.announced, 'experiment')).toMatchObject([{ key: 'A', data: { worker_count: 0 } }]);
    expect(logged(world.announced)).toMatchObject([{ experiment: 'A', task: 'assignment' }]);
  });

  it('of an unknown experiment is a 404 and leaves no task', async () => {
    expect(await errorOf(world.removeAllOf('none'))).toMatchObject({ status: 404, code: 'experiment_not_found' });
    expect(await world.context.tasks.list()).toEqual([]);
  });

  it('of all experiments frees all workers and requests them to stop everything', async () => {
    await world.put('A', 'rx01');
    await world.put('B', 'rx02');
    world.announced.length = 0;
    await world.removeAll();
    expect(await world.list()).toMatchObject([{ experiment: null }, { experiment: null }, { experiment: null }]);
    await world.result();
    expect(world.stops.at(-1)?.request).toBe('all');
    expect(messages(world.announced)).toHaveLength(2);
    expect(logged(world.announced)).toMatchObject([{ experiment: '$experiment', task: 'unassignment' }]);
  });

  it('has the outcomes in the order of the inventory, the newest worker first', async () => {
    await world.clock.advance(1000);
    await world.addWorker('rx00', 1);
    await world.removeAll();
    const outcomes = await world.result();
    expect(Object.keys(outcomes ?? {})).toEqual(['rx00', 'rx01', 'rx02', 'rx03']);
  });

  it('succeeds as a task also when a unit is unreachable, which its outcome states', async () => {
    await world[Symbol.asyncDispose]();
    world = await startWorld(unreachable);
    await world.removeAll();
    expect(await world.result()).toMatchObject({ rx01: { ok: false, error: { kind: 'connection_error' } } });
  });
});

describe('reading assignments', () => {
  it('answers an unknown experiment with no workers', async () => {
    expect(bodyOf(await world.assignments.listExperimentWorkers(request({ experiment: 'none' }, undefined)))).toEqual(
      [],
    );
  });

  it('publishes the retained assignment of every worker again', async () => {
    await world.put('B', 'rx02');
    world.announced.length = 0;
    const published: [string, string][] = [];
    await republishAssignments(world.context, { publish: (topic, payload) => published.push([topic, payload]) });
    expect(published.map(([topic]) => topic)).toEqual(
      ['rx01', 'rx02', 'rx03'].map((unit) => `reactor/${unit}/$experiment/assignment`),
    );
    expect(JSON.parse(published[1]?.[1] ?? '')).toMatchObject({ experiment: 'B', assigned_at: now });
    expect(JSON.parse(published[0]?.[1] ?? '')).toMatchObject({ experiment: null, assigned_at: null });
  });

  it('scans no table but the inventory', async () => {
    const { read } = world.context.database;
    const scans = async (query: Parameters<typeof explain>[1]) =>
      (await explain(read, query)).filter((step) => step.includes('SCAN'));
    expect(await scans(assignmentsOfAll(read))).toEqual([expect.stringContaining('workers')]);
    expect(await scans(workersOfExperiment(read, 'A'))).toEqual([]);
  });
});
