import { describe, expect, it } from 'vitest';
import { hour, startExperiments } from '../testing/test-experiments.ts';
import { bodyOf, errorOf, request } from '../testing/test-leader.ts';

const yeast = {
  experiment: 'yeast-ramp-07',
  created_at: '2026-05-02T09:14:03.120Z',
  description: '30 to 34 C ramp',
  delta_hours: 0,
  worker_count: 0,
  tags: ['yeast', 'ramp'],
};

describe('creating an experiment', () => {
  it('stores it with its tags and answers with the whole experiment', async () => {
    await using leader = await startExperiments();
    const creation = {
      experiment: ' yeast-ramp-07 ',
      description: '30 to 34 C ramp',
      tags: ['yeast', ' ramp', 'YEAST'],
    };
    const answer = await leader.handlers.createExperiment(request({}, creation));
    expect(answer.status).toBe(201);
    expect(bodyOf(answer)).toEqual(yeast);
    const read = await leader.handlers.getExperiment(request({ experiment: 'yeast-ramp-07' }, undefined));
    expect(bodyOf(read)).toEqual(yeast);
  });

  it('ignores the fields that the leader sets, and takes no description as an empty one', async () => {
    await using leader = await startExperiments();
    const given = { created_at: '1999-01-01T00:00:00.000Z', delta_hours: 99, worker_count: 9, description: null };
    expect(await leader.create('a', given)).toMatchObject({
      created_at: '2026-05-02T09:14:03.120Z',
      delta_hours: 0,
      worker_count: 0,
      description: '',
      tags: [],
    });
  });

  it('is published, and logged under the experiment itself', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    expect(leader.announced).toMatchObject([
      { live: 'log', data: { experiment: 'a', level: 'INFO', task: 'create_experiment', reactor_unit: 'lead' } },
      { topic: 'reactor/lead/a/logs/ui/info', payload: { level: 'INFO', task: 'create_experiment' }, retain: false },
      { live: 'experiment', key: 'a', data: { experiment: 'a' } },
    ]);
    const rows = await leader.context.database.read.selectFrom('logs').selectAll().execute();
    expect(rows).toMatchObject([
      { experiment: 'a', experiment_id: 1, level: 'INFO', message: 'Created experiment a.' },
    ]);
  });

  it('refuses a bad name before bad tags, and those before a taken name; nothing is stored or announced then', async () => {
    await using leader = await startExperiments();
    await leader.create('a');
    const before = leader.announced.length;
    const tooMany = Array.from({ length: 51 }, (_, i) => `t${i}`);
    const failure = (experiment: string, tags: string[]) =>
      errorOf(leader.handlers.createExperiment(request({}, { experiment, tags })));
    expect(await failure('a/b', tooMany)).toMatchObject({ status: 400, code: 'experiment_name_invalid' });
    expect(await failure('a', tooMany)).toMatchObject({ status: 400, code: 'tags_invalid' });
    expect(await failure(' a ', ['x'])).toMatchObject({ status: 409, code: 'experiment_name_taken' });
    expect(await leader.names()).toEqual(['a']);
    expect(leader.announced).toHaveLength(before);
    expect(await leader.context.database.read.selectFrom('experiment_tags').selectAll().execute()).toEqual([]);
  });

  it('accepts only one of two concurrent creations with one name', async () => {
    await using leader = await startExperiments();
    const outcomes = await Promise.allSettled([leader.create('a'), leader.create('a'), leader.create('A')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await leader.names()).toHaveLength(2);
  });
});

describe('reading experiments', () => {
  it('answers 404 for a name that differs by case', async () => {
    await using leader = await startExperiments();
    await leader.create('Yeast');
    const missing = errorOf(leader.handlers.getExperiment(request({ experiment: 'yeast' }, undefined)));
    expect(await missing).toMatchObject({ status: 404, code: 'experiment_not_found' });
  });

  it('returns null for the latest one when there is none', async () => {
    await using leader = await startExperiments();
    expect(bodyOf(await leader.handlers.getLatestExperiment(request({}, undefined)))).toBeNull();
    expect(await leader.listed()).toEqual([]);
    expect(bodyOf(await leader.handlers.listActiveExperiments(request({}, undefined)))).toEqual([]);
    expect(bodyOf(await leader.handlers.listAssignmentCounts(request({}, undefined)))).toEqual([]);
  });

  it('lists by creation time, but calls the one that was created last the latest, also after the clock was set back', async () => {
    await using leader = await startExperiments();
    await leader.create('first');
    leader.clock.stepWallClock(-2 * hour);
    await leader.create('second');
    expect(await leader.names()).toEqual(['first', 'second']);
    const latest = bodyOf(await leader.handlers.getLatestExperiment(request({}, undefined)));
    expect(latest).toMatchObject({ experiment: 'second', delta_hours: 0 });
    expect(await leader.listed()).toMatchObject([{ delta_hours: -2 }, { delta_hours: 0 }]);
  });

  it('counts inactive workers, but calls active only what has an active one', async () => {
    await using leader = await startExperiments();
    for (const name of ['b', 'a', 'idle', 'empty']) await leader.create(name);
    await leader.addWorker('rx01');
    await leader.addWorker('rx02', 0);
    await leader.addWorker('rx03', 0);
    await leader.addWorker('rx04');
    await leader.assign('rx01', 'b');
    await leader.assign('rx02', 'b');
    await leader.assign('rx03', 'idle');
    await leader.assign('rx04', 'a');
    const active = bodyOf(await leader.handlers.listActiveExperiments(request({}, undefined)));
    expect(active).toMatchObject([
      { experiment: 'a', worker_count: 1 },
      { experiment: 'b', worker_count: 2 },
    ]);
    expect(bodyOf(await leader.handlers.listAssignmentCounts(request({}, undefined)))).toEqual([
      { experiment: 'a', worker_count: 1 },
      { experiment: 'b', worker_count: 2 },
      { experiment: 'idle', worker_count: 1 },
    ]);
  });
});

describe('changing an experiment', () => {
  it('changes what is sent and leaves the rest', async () => {
    await using leader = await startExperiments();
    await leader.create('a', { description: 'old', tags: ['x', 'y'] });
    const change = async (body: { description?: string | null; tags?: string[] }) =>
      bodyOf(await leader.handlers.updateExperiment(request({ experiment: 'a' }, body)));
    expect(await change({ description: 'new' })).toMatchObject({ description: 'new', tags: ['x', 'y'] });
    expect(await change({ tags: ['z', 'x'] })).toMatchObject({ description: 'new', tags: ['z', 'x'] });
    expect(await change({ description: null, tags: [] })).toMatchObject({ description: '', tags: [] });
    expect(leader.announced.at(-1)).toMatchObject({ live: 'experiment', key: 'a', data: { tags: [] } });
    expect(await leader.listed()).toMatchObject([{ description: '', tags: [] }]);
  });

  it('refuses an empty change before it reads the experiment', async () => {
    await using leader = await startExperiments();
    const failure = (body: { tags?: string[] }) =>
      errorOf(leader.handlers.updateExperiment(request({ experiment: 'nobody' }, body)));
    expect(await failure({})).toMatchObject({ status: 400, code: 'nothing_to_change' });
    expect(await failure({ tags: ['a\tb'] })).toMatchObject({ status: 400, code: 'tags_invalid' });
    expect(await failure({ tags: [] })).toMatchObject({ status: 404, code: 'experiment_not_found' });
  });
});
