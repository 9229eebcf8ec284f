import type { Experiment, JoinRequest, LiveJob, LiveSnapshot, TaskRecord, UnitStatus } from '@lcs/contract';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, describe, expect, it } from 'vitest';
import { queryKeys } from '../api/query-keys.ts';
import { applyLiveEvent, liveEventNames } from './live-cache.ts';

const created_at = '2026-05-02T09:14:03.120Z';
const experiment = (name: string, description = ''): Experiment => ({
  experiment: name,
  created_at,
  description,
  delta_hours: 0,
  worker_count: 0,
  tags: [],
});
const task: TaskRecord = {
  task_id: '1',
  result_url_path: '/unit_api/task_results/1',
  status: 'running',
  progress: 0.5,
  message: null,
  created_at,
  started_at: created_at,
  finished_at: null,
};
const unit: UnitStatus = {
  reactor_unit: 'u1',
  liveness: 'online',
  last_heard_at: created_at,
  trouble: null,
  desired_version: 1,
  applied_version: 1,
  backlog: 0,
  clock_offset_ms: 0,
  outbox_full: false,
  app_version: '26.11.0',
  url: null,
  is_simulated: true,
};
const stirring: LiveJob = {
  reactor_unit: 'u1',
  experiment: 'a',
  job_name: 'stirring',
  job_id: 7,
  state: 'ready',
  since: created_at,
  reason: null,
  settings: { target_rpm: 500 },
};
const snapshot: LiveSnapshot = {
  server_time: '2026-05-02T10:00:00.000Z',
  version: '26.11.0',
  leader: 'lead',
  experiments: [experiment('a')],
  assignments: [{ reactor_unit: 'u1', experiment: 'a', is_active: 1 }],
  workers: [{ reactor_unit: 'u1', added_at: created_at, is_active: 1, model_name: null, model_version: null }],
  units: [unit],
  jobs: [stirring],
  tasks: [task],
  alarms: [],
  stops: [],
  held_jobs: [],
};
const snapshotAt = Date.parse(snapshot.server_time);

let cache: QueryClient;
beforeEach(() => {
  cache = new QueryClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });
});

const namesInCache = () => cache.getQueryData(queryKeys.experiments)?.map((each) => each.experiment);

describe('a snapshot', () => {
  it('replaces all lists, without entries that were deleted meanwhile', () => {
    cache.setQueryData(queryKeys.experiments, [experiment('gone')]);
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt);
    expect(namesInCache()).toEqual(['a']);
    expect(cache.getQueryData(queryKeys.assignments)).toEqual(snapshot.assignments);
    expect(cache.getQueryData(queryKeys.workers)).toEqual(snapshot.workers);
    expect(cache.getQueryData(queryKeys.task('1'))).toEqual(task);
  });

  it('has the difference between the clocks of the leader and of the device', () => {
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt - 90_000);
    expect(cache.getQueryData(queryKeys.leader)).toEqual({ leader: 'lead', version: '26.11.0', aheadMs: 90_000 });
  });

  it('invalidates the queries that it does not contain', () => {
    cache.setQueryData(queryKeys.labels('a'), { u1: 'control' });
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt);
    expect(cache.getQueryState(queryKeys.labels('a'))?.isInvalidated).toBe(true);
  });

  it('wins over the response to an earlier request', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly Experiment[]>();
    const requested = cache
      .fetchQuery({ queryKey: queryKeys.experiments, queryFn: () => promise })
      .catch(() => 'cancelled');
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt);
    resolve([experiment('old')]);
    await requested;
    expect(namesInCache()).toEqual(['a']);
  });
});

describe('a change', () => {
  it('is in the first answer of a query, too: one that was on its way before it is requested again', async () => {
    const answers = [Promise.withResolvers<readonly string[]>(), Promise.withResolvers<readonly string[]>()];
    let asked = 0;
    const queryFn = async () => {
      const answer = answers[asked];
      asked += 1;
      return (await answer?.promise) ?? [];
    };
    const observer = new QueryObserver(cache, { queryKey: queryKeys.allCalibrations, queryFn });
    const shown = Promise.withResolvers<unknown>();
    const unsubscribe = observer.subscribe(({ data }) => {
      if (data?.[0] === 'new') shown.resolve(data);
    });
    applyLiveEvent(cache, 'calibrations', { reactor_unit: 'u1' }, snapshotAt);
    answers[0]?.resolve(['old']);
    answers[1]?.resolve(['new']);
    expect(await shown.promise).toEqual(['new']);
    expect(asked).toBe(2);
    unsubscribe();
  });

  it('changes the lists at once', () => {
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt);
    applyLiveEvent(cache, 'experiment', experiment('b'), snapshotAt);
    applyLiveEvent(cache, 'assignment', { reactor_unit: 'u1', experiment: 'b', is_active: 1 }, snapshotAt);
    expect(namesInCache()).toEqual(['b', 'a']);
    expect(cache.getQueryData(queryKeys.assignments)?.[0]?.experiment).toBe('b');
    applyLiveEvent(cache, 'experiment_deleted', { experiment: 'b' }, snapshotAt);
    expect(namesInCache()).toEqual(['a']);
    expect(cache.getQueryData(queryKeys.assignments)?.[0]?.experiment).toBeNull();
    applyLiveEvent(cache, 'worker_deleted', { reactor_unit: 'u1' }, snapshotAt);
    expect(cache.getQueryData(queryKeys.assignments)).toEqual([]);
    expect(cache.getQueryData(queryKeys.workers)).toEqual([]);
  });

  it('does not create a list before the list is known', () => {
    applyLiveEvent(cache, 'experiment', experiment('b'), snapshotAt);
    expect(cache.getQueryData(queryKeys.experiments)).toBeUndefined();
  });

  it.each([
    ['the first answer', undefined],
    ['a later answer', [experiment('a')]],
  ])('is not undone by %s that was on its way', async (_, known) => {
    if (known) cache.setQueryData(queryKeys.experiments, known);
    const { promise: firstAnswer, resolve: answerFirst } = Promise.withResolvers<readonly Experiment[]>();
    const answers = [firstAnswer, Promise.resolve([experiment('b'), experiment('a')])];
    const observer = new QueryObserver(cache, {
      queryKey: queryKeys.experiments,
      queryFn: () => answers.shift() ?? [],
      staleTime: 0,
    });
    const seen: (readonly string[])[] = [];
    const { promise: atRest, resolve: rest } = Promise.withResolvers<void>();
    const stop = observer.subscribe(({ data, fetchStatus }) => {
      if (data) seen.push(data.map((each) => each.experiment));
      if (answers.length === 0 && fetchStatus === 'idle') rest();
    });
    applyLiveEvent(cache, 'experiment', experiment('b'), snapshotAt);
    answerFirst([experiment('a')]);
    await atRest;
    stop();
    expect(namesInCache()).toEqual(['b', 'a']);
    const sinceKnown = seen.slice(seen.findIndex((names) => names.includes('b')));
    expect(sinceKnown).not.toContainEqual(['a']);
  });

  it('of a unit is not undone by an answer that was on its way', async () => {
    const offline: UnitStatus = { ...unit, liveness: 'offline' };
    cache.setQueryData(queryKeys.units, [offline]);
    const { promise, resolve } = Promise.withResolvers<readonly UnitStatus[]>();
    const requested = cache.fetchQuery({ queryKey: queryKeys.units, queryFn: () => promise }).catch(() => 'cancelled');
    applyLiveEvent(cache, 'unit', unit, snapshotAt);
    resolve([offline]);
    await requested;
    expect(cache.getQueryData(queryKeys.units)).toEqual([unit]);
    expect(cache.getQueryState(queryKeys.units)?.isInvalidated).toBe(true);
  });

  it('of an assignment causes a new request of the histories', () => {
    cache.setQueryData(queryKeys.history('a'), []);
    applyLiveEvent(cache, 'assignment', { reactor_unit: 'u1', experiment: null, is_active: 1 }, snapshotAt);
    expect(cache.getQueryState(queryKeys.history('a'))?.isInvalidated).toBe(true);
  });

  it('of labels and tasks has its own key', () => {
    applyLiveEvent(cache, 'labels', { experiment: 'a', labels: { u1: 'control' } }, snapshotAt);
    applyLiveEvent(cache, 'task', { ...task, progress: 0.9 }, snapshotAt);
    expect(cache.getQueryData(queryKeys.labels('a'))).toEqual({ u1: 'control' });
    expect(cache.getQueryData(queryKeys.task('1'))).toMatchObject({ progress: 0.9 });
  });
});

describe('jobs and units', () => {
  const { settings: _, ...state } = stirring;
  const jobs = () => cache.getQueryData(queryKeys.jobs);
  const setting = { reactor_unit: 'u1', experiment: 'a', job_name: 'stirring', job_id: 7, at: created_at };

  it('follow the events of the units', () => {
    applyLiveEvent(cache, 'snapshot', snapshot, snapshotAt);
    applyLiveEvent(cache, 'job', { ...state, state: 'sleeping' }, snapshotAt);
    expect(jobs()).toEqual([{ ...stirring, state: 'sleeping' }]);
    applyLiveEvent(cache, 'setting', { ...setting, setting: 'target_rpm', value: 400 }, snapshotAt);
    applyLiveEvent(cache, 'setting', { ...setting, job_id: 8, setting: 'target_rpm', value: 1 }, snapshotAt);
    expect(jobs()?.map((job) => job.settings)).toEqual([{ target_rpm: 400 }]);
    applyLiveEvent(cache, 'setting', { ...setting, setting: 'target_rpm', value: null }, snapshotAt);
    expect(jobs()?.[0]?.settings).toEqual({});
    applyLiveEvent(cache, 'job', { ...state, job_id: 9, state: 'init' }, snapshotAt);
    applyLiveEvent(cache, 'job', { ...state, state: 'disconnected' }, snapshotAt);
    expect(jobs()?.map(({ job_id }) => job_id)).toEqual([9]);
    applyLiveEvent(cache, 'unit', { ...unit, liveness: 'offline' }, snapshotAt);
    expect(cache.getQueryData(queryKeys.units)?.[0]?.liveness).toBe('offline');
  });
});

it('replaces the requests to join', () => {
  const request: JoinRequest = {
    join_id: '1',
    reactor_unit: 'rx07',
    address: '192.0.2.7',
    fingerprint: 'ab12',
    replaces: false,
    is_approved: false,
    first_seen_at: created_at,
    last_seen_at: created_at,
  };
  applyLiveEvent(cache, 'join_requests', [request], snapshotAt);
  expect(cache.getQueryData(queryKeys.joinRequests)).toEqual([request]);
  applyLiveEvent(cache, 'join_requests', [], snapshotAt);
  expect(cache.getQueryData(queryKeys.joinRequests)).toEqual([]);
});

it('subscribes to every event of the contract', () => {
  expect([...liveEventNames].sort()).toEqual([
    'alarm',
    'assignment',
    'calibrations',
    'chart_preferences',
    'config',
    'dose',
    'experiment',
    'experiment_deleted',
    'held_jobs',
    'job',
    'join_requests',
    'labels',
    'log',
    'notes',
    'reading',
    'replicate_groups',
    'setting',
    'snapshot',
    'stops',
    'task',
    'unit',
    'worker',
    'worker_deleted',
  ]);
});
