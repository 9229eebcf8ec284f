import type { LiveEventName, LiveEvents, LiveSnapshot } from '@lcs/contract';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import {
  withActivityOf,
  withAssignment,
  withExperiment,
  withFreedWorkers,
  withoutExperiment,
  withoutUnit,
  withWorker,
} from './lists.ts';

type Patches = {
  readonly [Name in LiveEventName]: (cache: QueryClient, data: LiveEvents[Name], nowMs: number) => void;
};

/** No page shows these yet, so nothing of them is in the cache. */
const notShown = (): void => {};

/** An answer on its way may be older than what was just heard; it is asked for again. */
function askAgainIfUnderWay(cache: QueryClient, queryKey: QueryKey): void {
  if (cache.isFetching({ queryKey }) > 0) void cache.invalidateQueries({ queryKey });
}

function forget(cache: QueryClient, queryKey: QueryKey): void {
  void cache.invalidateQueries({ queryKey });
}

function replaceAll(cache: QueryClient, snapshot: LiveSnapshot, nowMs: number): void {
  const { experiments, assignments, workers, tasks, leader, version } = snapshot;
  void cache.cancelQueries({ queryKey: queryKeys.experiments });
  void cache.cancelQueries({ queryKey: queryKeys.assignments });
  void cache.cancelQueries({ queryKey: queryKeys.workers });
  cache.setQueryData(queryKeys.leader, { leader, version, aheadMs: Date.parse(snapshot.server_time) - nowMs });
  cache.setQueryData(queryKeys.experiments, experiments);
  cache.setQueryData(queryKeys.assignments, assignments);
  cache.setQueryData(queryKeys.workers, workers);
  for (const task of tasks) cache.setQueryData(queryKeys.task(task.task_id), task);
  // Not part of a snapshot, and may have changed while nobody listened.
  forget(cache, queryKeys.allLabels);
  forget(cache, queryKeys.allHistories);
}

const patches: Patches = {
  snapshot: replaceAll,
  experiment: (cache, experiment) => {
    cache.setQueryData(queryKeys.experiments, (list) => list && withExperiment(list, experiment));
    askAgainIfUnderWay(cache, queryKeys.experiments);
  },
  experiment_deleted: (cache, { experiment }) => {
    cache.setQueryData(queryKeys.experiments, (list) => list && withoutExperiment(list, experiment));
    cache.setQueryData(queryKeys.assignments, (list) => list && withFreedWorkers(list, experiment));
    cache.removeQueries({ queryKey: queryKeys.labels(experiment) });
    cache.removeQueries({ queryKey: queryKeys.history(experiment) });
    askAgainIfUnderWay(cache, queryKeys.experiments);
    askAgainIfUnderWay(cache, queryKeys.assignments);
  },
  assignment: (cache, assignment) => {
    cache.setQueryData(queryKeys.assignments, (list) => list && withAssignment(list, assignment));
    askAgainIfUnderWay(cache, queryKeys.assignments);
    forget(cache, queryKeys.allHistories);
  },
  worker: (cache, worker) => {
    cache.setQueryData(queryKeys.workers, (list) => list && withWorker(list, worker));
    cache.setQueryData(queryKeys.assignments, (list) => list && withActivityOf(list, worker));
    askAgainIfUnderWay(cache, queryKeys.workers);
    askAgainIfUnderWay(cache, queryKeys.assignments);
  },
  worker_deleted: (cache, { reactor_unit }) => {
    cache.setQueryData(queryKeys.workers, (list) => list && withoutUnit(list, reactor_unit));
    cache.setQueryData(queryKeys.assignments, (list) => list && withoutUnit(list, reactor_unit));
    askAgainIfUnderWay(cache, queryKeys.workers);
    askAgainIfUnderWay(cache, queryKeys.assignments);
    forget(cache, queryKeys.allHistories);
  },
  labels: (cache, { experiment, labels }) => {
    cache.setQueryData(queryKeys.labels(experiment), labels);
  },
  task: (cache, task) => {
    cache.setQueryData(queryKeys.task(task.task_id), task);
  },
  chart_preferences: notShown,
  config: notShown,
  log: notShown,
};

/** All events of the stream by name. */
export const liveEventNames = Object.keys(patches).filter((name): name is LiveEventName => name in patches);

/** The one place where what the leader tells by itself enters the query cache. `nowMs` is the time of this device. */
export function applyLiveEvent<Name extends LiveEventName>(
  cache: QueryClient,
  name: Name,
  data: LiveEvents[Name],
  nowMs: number,
): void {
  patches[name](cache, data, nowMs);
}
