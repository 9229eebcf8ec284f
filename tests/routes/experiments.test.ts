import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
const start = async (): Promise<void> => {
  leader = await startLeader({ observe });
};
const stop = () => leader[Symbol.asyncDispose]();
/** Each test has a leader of its own. */
const startForEach = (): void => {
  beforeEach(start);
  afterEach(stop);
};

const hourMs = 3_600_000;
const create = async (experiment: string, more: object = {}) =>
  (await leader.api.call('createExperiment', { body: { experiment, ...more } })).expect(201);

describe('creating an experiment is refused and changes nothing:', () => {
  beforeAll(start);
  afterEach(async () => expect(await leader.client.listExperiments()).toEqual([]));
  afterAll(stop);

  it.each([
    ['a number as name', { experiment: 5 }, 'expected string'],
    ['no name', {}, "'experiment'"],
    ['null tags', { experiment: 'a', tags: null }, '$.tags'],
    ['a tag that is a number', { experiment: 'a', tags: ['x', 5] }, '$.tags[1]'],
    ['an unknown field', { experiment: 'a', colour: 'red' }, 'colour'],
    ['a description of 10,001 characters', { experiment: 'a', description: 'x'.repeat(10_001) }, '10000'],
  ])('%s, with its position', async (_, body, cause) => {
    const answer = await leader.api.call('createExperiment', { body });
    expect(answer.expect(400, 'invalid_body')).toMatchObject({ cause: expect.stringContaining(cause) });
  });

  it.each(['', '   ', 'x'.repeat(200), 'current', 'CURRENT', 'latest', 'active', 'assignment_count', '_testing_a'])(
    'the name %j',
    async (experiment) => {
      (await leader.api.call('createExperiment', { body: { experiment } })).expect(400, 'experiment_name_invalid');
    },
  );

  it.each([...'#$%+/\\?', '\u0000', '\n', '\u007f'])('the character %j in a name', async (character) => {
    const body = { experiment: `a${character}b` };
    (await leader.api.call('createExperiment', { body })).expect(400, 'experiment_name_invalid');
  });
});

describe('creating an experiment', () => {
  startForEach();

  it('answers the whole experiment, created now, with an empty description and no tags', async () => {
    expect(await create('yeast-ramp-07')).toEqual({
      experiment: 'yeast-ramp-07',
      created_at: new Date(leader.clock.now()).toISOString(),
      description: '',
      delta_hours: 0,
      worker_count: 0,
      tags: [],
    });
  });

  it('ignores values for fields that the leader sets', async () => {
    const body = { created_at: '1999-01-01T00:00:00Z', delta_hours: 7, worker_count: 3 };
    expect(await create('a', body)).toMatchObject({ delta_hours: 0, worker_count: 0 });
    await create('b', { created_at: null, delta_hours: null, worker_count: null, description: null });
  });

  it('trims tags, drops blank ones and repeated ones (first spelling wins)', async () => {
    const tags = [' yeast', '', 'Ramp', '  ', 'ramp', 'YEAST', 'x'];
    expect(await create('a', { tags })).toMatchObject({ tags: ['yeast', 'Ramp', 'x'] });
  });

  it('accepts names of 199 characters of any script, trimmed and case-sensitive', async () => {
    await create('x'.repeat(199));
    expect(await create('  Hefe 37 °C – Lauf (é) ü 酵母 ')).toMatchObject({
      experiment: 'Hefe 37 °C – Lauf (é) ü 酵母',
    });
    await create('expA');
    await create('expa');
    const params = { experiment: 'Hefe 37 °C – Lauf (é) ü 酵母' };
    (await leader.api.call('getExperiment', { params })).expect(200);
    (await leader.api.call('getExperiment', { params: { experiment: 'x'.repeat(199) } })).expect(200);
  });

  it('answers 409 when the name is taken, also by a name that differs in outer blanks only', async () => {
    await create('a');
    (await leader.api.call('createExperiment', { body: { experiment: ' a ' } })).expect(409, 'experiment_name_taken');
  });

  it.each([[Array.from({ length: 51 }, (_, i) => `t${i}`)], [['x'.repeat(101)]], [['a\u001fb']]])(
    'refuses tags beyond the limits',
    async (tags) => {
      (await leader.api.call('createExperiment', { body: { experiment: 'a', tags } })).expect(400, 'tags_invalid');
      (await leader.api.call('getExperiment', { params: { experiment: 'a' } })).expect(404);
    },
  );

  it('lets exactly one of two requests for the same name win', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => leader.api.call('createExperiment', { body: { experiment: 'a' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe('reading experiments', () => {
  startForEach();

  it('lists newest first, and an empty list without experiments', async () => {
    expect((await leader.api.call('listExperiments')).expect(200)).toEqual([]);
    for (const name of ['a', 'b', 'c']) {
      await create(name);
      await leader.clock.advance(1000);
    }
    expect((await leader.api.call('listExperiments')).expect(200)).toMatchObject([
      { experiment: 'c' },
      { experiment: 'b' },
      { experiment: 'a' },
    ]);
  });

  it('counts whole hours since creation, also in a list that nothing else has changed', async () => {
    await create('a');
    const hours = async () => (await leader.api.call('listExperiments')).expect(200);
    await leader.clock.advance(hourMs - 1);
    expect(await hours()).toMatchObject([{ delta_hours: 0 }]);
    await leader.clock.advance(1);
    expect(await hours()).toMatchObject([{ delta_hours: 1 }]);
    leader.clock.stepWallClock(25.73 * hourMs);
    expect(await hours()).toMatchObject([{ delta_hours: 26 }]);
    leader.clock.stepWallClock(-30 * hourMs);
    expect((await leader.api.call('getExperiment', { params: { experiment: 'a' } })).expect(200)).toMatchObject({
      delta_hours: -3,
    });
    expect(await hours()).toMatchObject([{ delta_hours: -3 }]);
  });

  it('returns the experiment created last as the latest, even when the clock was set back in between', async () => {
    expect((await leader.api.call('getLatestExperiment')).expect(200)).toBeNull();
    await create('a');
    leader.clock.stepWallClock(-hourMs);
    await create('b');
    expect((await leader.api.call('getLatestExperiment')).expect(200)).toMatchObject({ experiment: 'b' });
    expect((await leader.api.call('listExperiments')).expect(200)).toMatchObject([
      { experiment: 'a' },
      { experiment: 'b' },
    ]);
  });

  it('answers 404 for an unknown name, and for a name in another case', async () => {
    await create('a');
    (await leader.api.call('getExperiment', { params: { experiment: 'A' } })).expect(404, 'experiment_not_found');
  });

  it('calls an experiment active when an active worker is assigned, and counts inactive ones too', async () => {
    await create('a');
    await create('b');
    for (const reactor_unit of ['rx01', 'rx02', 'rx03']) await leader.client.registerWorker({ body: { reactor_unit } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx02' } });
    await leader.client.assignWorker({ params: { experiment: 'b' }, body: { reactor_unit: 'rx03' } });
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx02' }, body: { is_active: 0 } });
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx03' }, body: { is_active: 0 } });
    expect((await leader.api.call('listActiveExperiments')).expect(200)).toMatchObject([
      { experiment: 'a', worker_count: 2 },
    ]);
    expect((await leader.api.call('listAssignmentCounts')).expect(200)).toEqual([
      { experiment: 'a', worker_count: 2 },
      { experiment: 'b', worker_count: 1 },
    ]);
  });

  it('states the cache time of an answer, never for a shared cache', async () => {
    expect((await leader.api.call('listExperiments')).headers.get('cache-control')).toBe('private, max-age=5');
    expect((await leader.api.call('getLatestExperiment')).headers.get('cache-control')).toBe('private, max-age=2');
    expect((await leader.api.call('listAssignmentCounts')).headers.get('cache-control')).toBe('private, max-age=3');
  });
});

describe('changing an experiment', () => {
  startForEach();

  const change = (body: unknown, experiment = 'a') =>
    leader.api.call('updateExperiment', { params: { experiment }, body });

  it('replaces the description, the tags, or both, and answers the whole experiment', async () => {
    await create('a', { description: 'first', tags: ['x', 'y'] });
    expect((await change({ description: 'second' })).expect(200)).toMatchObject({
      description: 'second',
      tags: ['x', 'y'],
    });
    expect((await change({ tags: ['z'] })).expect(200)).toMatchObject({ description: 'second', tags: ['z'] });
    expect((await change({ description: null, tags: [] })).expect(200)).toMatchObject({ description: '', tags: [] });
  });

  it('checks the shape first, then that there is something to change, then that the experiment exists', async () => {
    (await change({ experiment: 'b' }, 'nobody')).expect(400, 'invalid_body');
    (await change({}, 'nobody')).expect(400, 'nothing_to_change');
    (await change({ description: 'x' }, 'nobody')).expect(404, 'experiment_not_found');
  });
});

describe('deleting an experiment', () => {
  startForEach();

  const remove = (experiment: string) => leader.api.call('deleteExperiment', { params: { experiment } });

  it('answers 202 with a task whose result lists the removed data, and takes effect at once', async () => {
    await create('a', { tags: ['x'], description: 'y' });
    const accepted = (await remove('a')).expect(202);
    expect(accepted).toEqual({
      unit: 'lead',
      task_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      result_url_path: expect.stringMatching(/^\/unit_api\/task_results\/[0-9a-f-]{36}$/),
      status: 'accepted',
    });
    (await leader.api.call('getExperiment', { params: { experiment: 'a' } })).expect(404);
    const ended = await leader.finished(accepted);
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: {
        result: true,
        experiment: 'a',
        database_space: { page_size: expect.any(Number), reclaimable_fraction: expect.any(Number) },
        msg: expect.any(String),
      },
    });
  });

  it('queues nothing for an unknown experiment', async () => {
    (await remove('nobody')).expect(404, 'experiment_not_found');
  });

  it('frees its workers, closes their history and keeps it; the name may be used again for another experiment', async () => {
    await create('a', { tags: ['old'] });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx01' } });
    await leader.client.putUnitLabel({ params: { experiment: 'a' }, body: { unit: 'rx01', label: 'Control' } });
    await leader.finished((await remove('a')).expect(202));
    expect(await leader.client.listAssignments()).toEqual([{ reactor_unit: 'rx01', experiment: null, is_active: 1 }]);
    const history = () => leader.client.listHistoricalAssignments({ params: { experiment: 'a' } });
    expect(await history()).toEqual([
      { reactor_unit: 'rx01', experiment: 'a', is_currently_assigned_to_experiment: 0 },
    ]);
    expect(await create('a')).toMatchObject({ tags: [], description: '' });
    expect(await history()).toEqual([]);
    expect(await leader.client.getUnitLabels({ params: { experiment: 'a' } })).toEqual({});
  });

  it('can be deleted twice under one name, one task after the other', async () => {
    await create('a');
    const first = (await remove('a')).expect(202);
    await create('a');
    const second = (await remove('a')).expect(202);
    expect(await leader.finished(first)).toMatchObject({ status: 'succeeded' });
    expect(await leader.finished(second)).toMatchObject({ status: 'succeeded' });
    expect(await leader.client.listExperiments()).toEqual([]);
  });
});

describe('history of assignments', () => {
  startForEach();

  const history = async (experiment: string) =>
    (await leader.api.call('listHistoricalAssignments', { params: { experiment } })).expect(200);

  it('has one row per unit that ever was assigned, by unit', async () => {
    await create('a');
    await create('b');
    for (const reactor_unit of ['rx02', 'rx01']) {
      await leader.client.registerWorker({ body: { reactor_unit } });
      await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit } });
    }
    await leader.client.assignWorker({ params: { experiment: 'b' }, body: { reactor_unit: 'rx02' } });
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: { reactor_unit: 'rx02' } });
    await leader.client.assignWorker({ params: { experiment: 'b' }, body: { reactor_unit: 'rx02' } });
    expect(await history('a')).toEqual([
      { reactor_unit: 'rx01', experiment: 'a', is_currently_assigned_to_experiment: 1 },
      { reactor_unit: 'rx02', experiment: 'a', is_currently_assigned_to_experiment: 0 },
    ]);
    expect(await history('nobody')).toEqual([]);
  });
});
