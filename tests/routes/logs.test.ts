import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'ramp' } });
  for (const reactor_unit of ['rx01', 'rx02']) await leader.client.registerWorker({ body: { reactor_unit } });
});
afterEach(() => leader[Symbol.asyncDispose]());

type Entry = {
  readonly message: string;
  readonly level?: string;
  readonly source?: string;
  readonly timestamp?: string;
};

const post = async (
  reactor_unit: string,
  experiment: string,
  { message, level = 'INFO', source = 'ui', ...more }: Entry,
) =>
  leader.api.call('postUnitLog', { params: { reactor_unit, experiment }, body: { message, level, source, ...more } });

type Operation = Parameters<LeaderUnderTest['api']['call']>[0];
type Options = NonNullable<Parameters<LeaderUnderTest['api']['call']>[1]>;

const messagesOf = (entries: unknown): readonly string[] =>
  Array.isArray(entries) ? entries.map((entry: { message: string }) => entry.message) : [];

/** What was posted in the test, newest first; the leader's own entries are left out. */
async function messages(operation: Operation, options: Options = {}): Promise<readonly string[]> {
  const query = { source: 'test', min_level: 'DEBUG', ...options.query };
  return messagesOf((await leader.api.call(operation, { ...options, query })).expect(200));
}

const mine = (message: string, more: Partial<Entry> = {}): Entry => ({ message, source: 'test', ...more });

const pages: readonly (readonly [Operation, Options['params']])[] = [
  ['listLogs', {}],
  ['listExperimentLogs', { experiment: 'ramp' }],
  ['listWorkerLogs', { reactor_unit: 'rx01', experiment: 'ramp' }],
  ['listUnitLogs', { reactor_unit: 'rx01' }],
  ['listUnitSystemLogs', { reactor_unit: 'rx01' }],
];
const recents: typeof pages = [
  ['listRecentExperimentLogs', { experiment: 'ramp' }],
  ['listRecentWorkerLogs', { reactor_unit: 'rx01', experiment: 'ramp' }],
];

describe('adding an entry', () => {
  it.each(['postWorkerLog', 'postUnitLog'] as const)(
    '%s stores it, so that the next read finds it',
    async (operation) => {
      const body = {
        message: '  Fed.  ',
        level: 'notice',
        source: 'robot',
        task: 'feeding',
        timestamp: '2026-05-02T11:00:00+02:00',
      };
      const params = { reactor_unit: 'rx01', experiment: 'ramp' };
      expect((await leader.api.call(operation, { params, body })).expect(202)).toEqual({ status: 'accepted' });
      expect((await leader.api.call('listUnitLogs', { params, query: { source: 'robot' } })).expect(200)).toEqual([
        {
          timestamp: '2026-05-02T09:00:00.000Z',
          level: 'NOTICE',
          message: 'Fed.',
          task: 'feeding',
          source: 'robot',
          reactor_unit: 'rx01',
          experiment: 'ramp',
        },
      ]);
      for (const wrong of [
        {},
        { ...body, level: 'LOUD' },
        { ...body, message: ' ' },
        { ...body, timestamp: 'yesterday' },
        { ...body, timestamp: '2026-05-02T11:00:00' },
        { ...body, source_: 'a/b' },
        { ...body, more: 1 },
      ])
        (await leader.api.call(operation, { params, body: wrong })).expect(400, 'invalid_body');
      (await leader.api.call(operation, { params: { ...params, reactor_unit: 'nobody' }, body })).expect(
        400,
        'unit_unknown',
      );
      const nowhere = { params: { ...params, experiment: 'none' }, body };
      (await leader.api.call(operation, nowhere)).expect(400, 'experiment_unknown');
    },
  );

  it('for all units adds one for each worker of the experiment; the leader and the cluster are accepted', async () => {
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx01' } });
    (await post('$broadcast', 'ramp', mine('ramp'))).expect(202);
    (await post('$broadcast', '$experiment', mine('all'))).expect(202);
    (await post('lead', '$experiment', mine('lead'))).expect(202);
    const entries = (await leader.api.call('listLogs', { query: { source: 'test' } })).expect(200);
    expect(entries).toMatchObject([
      { message: 'lead', reactor_unit: 'lead', experiment: '$experiment' },
      { message: 'all', reactor_unit: 'rx02' },
      { message: 'all', reactor_unit: 'rx01' },
      { message: 'ramp', reactor_unit: 'rx01', experiment: 'ramp' },
    ]);
  });
});

describe('a page', () => {
  it.each(pages)('of %s is newest first, filtered by level, text and source', async (operation, params = {}) => {
    const experiment = operation === 'listUnitSystemLogs' ? '$experiment' : 'ramp';
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx01' } });
    for (const level of ['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL']) {
      (await post('rx01', experiment, mine(`A 100 % ${level}`, { level }))).expect(202);
      await leader.clock.advance(10);
    }
    const found = (query: NonNullable<Options['query']>) => messages(operation, { params, query });
    expect(await found({ min_level: 'warning' })).toEqual(['A 100 % CRITICAL', 'A 100 % ERROR', 'A 100 % WARNING']);
    expect(await found({ min_level: 'loud' })).toHaveLength(5);
    expect(await found({ search: '100 % err' })).toEqual(['A 100 % ERROR']);
    expect(await found({ search: '00 _' })).toEqual([]);
    expect(await found({ search: '% c', source: '' })).toEqual(['A 100 % CRITICAL']);
    expect(await found({ search: 'GG' })).toEqual([]);
    expect(await found({ search: 'b' })).toEqual(['A 100 % DEBUG']);
    expect(await found({ source: 'tes' })).toEqual([]);
    expect(await found({ skip: 4 })).toEqual(['A 100 % INFO', 'A 100 % DEBUG']);
    expect(await found({ skip: -3, limit: 1 })).toEqual(['A 100 % CRITICAL']);
    for (const query of [{ skip: 'abc' }, { limit: 0 }, { limit: 1001 }, { before: 'yesterday' }, { search: '\0' }])
      (await leader.api.call(operation, { params, query })).expect(400, 'invalid_query');
  });

  it('contains the cursor of the next one, and together they have each entry once', async () => {
    const all = Array.from({ length: 7 }, (_, index) => `entry ${index}`);
    // All of one moment: the order in which they came decides.
    for (const message of all) (await post('rx01', 'ramp', mine(message))).expect(202);
    for (const query of [{}, { source: 'test' }, { search: 'entry' }]) {
      const seen: string[] = [];
      for (let before = ''; ; ) {
        const answer = await leader.api.call('listExperimentLogs', {
          params: { experiment: 'ramp' },
          query: { ...query, limit: 3, ...(before ? { before } : {}) },
        });
        seen.push(...messagesOf(answer.expect(200)));
        before = answer.headers.get('x-next-before') ?? '';
        if (before === '') break;
      }
      expect(seen.filter((message) => message.startsWith('entry'))).toEqual([...all].reverse());
    }
  });

  it('before a time has no entry of that time', async () => {
    for (const timestamp of ['2026-05-02T09:00:00Z', '2026-05-02T09:00:01Z'])
      (await post('rx01', 'ramp', mine(timestamp, { timestamp }))).expect(202);
    const before = '2026-05-02T09:00:01Z';
    expect(await messages('listLogs', { query: { before } })).toEqual(['2026-05-02T09:00:00Z']);
    expect(await messages('listLogs', { query: { before, source: '', search: '2026' } })).toEqual([
      '2026-05-02T09:00:00Z',
    ]);
  });

  it('is empty for unknown names', async () => {
    for (const [operation, params = {}] of [...pages, ...recents]) {
      if (operation === 'listLogs') continue;
      const nobody = Object.fromEntries(Object.keys(params).map((name) => [name, 'none']));
      const entries = messagesOf((await leader.api.call(operation, { params: nobody })).expect(200));
      // A worker's newest entries have those of the cluster among them, but for other units.
      expect(entries, operation).toEqual([]);
    }
  });

  it('of a damaged store is an error', async () => {
    await leader.breakStore();
    for (const [operation, params = {}] of [...pages, ...recents])
      (await leader.api.call(operation, { params })).expect(500, 'internal_error');
  });
});

describe('a worker in an experiment', () => {
  const params = { reactor_unit: 'rx01', experiment: 'ramp' };

  it('has the entries from while it was assigned and 5 s longer, each once', async () => {
    const assign = () => leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx01' } });
    const log = async (message: string) => (await post('rx01', 'ramp', mine(message))).expect(202);
    await log('before');
    await leader.clock.advance(1000);
    await assign();
    await log('first');
    await leader.clock.advance(1000);
    await leader.client.unassignWorker({ params });
    await leader.clock.advance(2000);
    await assign();
    await leader.clock.advance(2000);
    await log('in both');
    await leader.client.unassignWorker({ params });
    await leader.clock.advance(5000);
    await log('just after');
    await leader.clock.advance(1);
    await log('too late');
    for (const query of [{}, { source: '', search: 't' }])
      expect(
        (await messages('listWorkerLogs', { params, query })).filter((message) => !message.includes('rx01')),
      ).toEqual(['just after', 'in both', 'first']);
    expect(await messages('listUnitLogs', { params })).toContain('too late');
  });
});

describe('recent entries', () => {
  const newest = async (operation: Operation, params: Options['params'], min_level = 'INFO') =>
    messagesOf((await leader.api.call(operation, { params: params ?? {}, query: { min_level } })).expect(200));

  it('are the newest 50 of a day, none older than the experiment', async () => {
    const created = leader.clock.now();
    const at = (ms: number) => new Date(created + ms).toISOString();
    (await post('rx01', 'ramp', mine('too early', { timestamp: at(-1) }))).expect(202);
    (await post('rx01', 'ramp', mine('just in time', { timestamp: at(0) }))).expect(202);
    (await post('rx01', 'ramp', mine('quiet', { level: 'DEBUG' }))).expect(202);
    for (const [operation, params] of recents) {
      expect(await newest(operation, params), operation).toContain('just in time');
      expect(await newest(operation, params), operation).not.toContain('too early');
      expect(await newest(operation, params, 'debug'), operation).toContain('quiet');
    }
    for (let index = 0; index < 60; index += 1) (await post('rx01', 'ramp', mine(`n ${index}`))).expect(202);
    for (const [operation, params] of recents) expect(await newest(operation, params), operation).toHaveLength(50);
    await leader.clock.advance(24 * 3600 * 1000 + 1);
    for (const [operation, params] of recents)
      expect(
        (await newest(operation, params)).filter((message) => message.startsWith('n ')),
        operation,
      ).toEqual([]);
  });

  it('of a worker include those of the cluster, but of no other unit', async () => {
    (await post('rx01', '$experiment', mine('cluster'))).expect(202);
    (await post('rx02', 'ramp', mine('other unit'))).expect(202);
    const worker = await newest('listRecentWorkerLogs', { reactor_unit: 'rx01', experiment: 'ramp' });
    expect(worker).toContain('cluster');
    expect(worker).not.toContain('other unit');
    const experiment = await newest('listRecentExperimentLogs', { experiment: 'ramp' });
    expect(experiment).toContain('other unit');
    expect(experiment).not.toContain('cluster');
  });
});
