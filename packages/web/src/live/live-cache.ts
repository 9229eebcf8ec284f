import {
  type Assignment,
  type Experiment,
  type LiveEventName,
  type LiveEvents,
  type LiveSnapshot,
  profileJobName,
  type UnitStatus,
  type Worker,
} from '@lcs/contract';
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import {
  withActivityOf,
  withAlarm,
  withAssignment,
  withExperiment,
  withFreedWorkers,
  withJobState,
  withoutExperiment,
  withoutUnit,
  withSetting,
  withUnit,
  withWorker,
} from './lists.ts';

type Patches = {
  readonly [Name in LiveEventName]: (cache: QueryClient, data: LiveEvents[Name], nowMs: number) => void;
};

/** Not kept as state: `LiveUpdates` passes them on. */
const notState = (): void => {};

/**
 * Changes the cache. A response on its way may be older than the change and must not undo it: it is dropped and requested
 * again.
 */
function patch(cache: QueryClient, queryKey: QueryKey, change: () => void): void {
  const isFetching = cache.isFetching({ queryKey }) > 0;
  if (isFetching) void cache.cancelQueries({ queryKey });
  change();
  if (isFetching) void cache.invalidateQueries({ queryKey });
}

/** Requests again what is shown. A first answer that is on its way may be older than the change, and would not be requested again by itself. */
function invalidate(cache: QueryClient, queryKey: QueryKey): void {
  const first = { queryKey, predicate: ({ state }: Query) => state.data === undefined };
  if (cache.isFetching(first) === 0) void cache.invalidateQueries({ queryKey });
  else void cache.cancelQueries(first).then(() => cache.invalidateQueries({ queryKey }));
}

/** Calibrations and open sessions, of one unit or of all. */
function invalidateCalibrations(cache: QueryClient, unit: string | null): void {
  invalidate(cache, queryKeys.allCalibrations);
  invalidate(cache, queryKeys.allActiveCurves);
  invalidate(cache, queryKeys.offeredProcedures);
  invalidate(cache, unit === null ? queryKeys.calibrationsOfUnits : queryKeys.calibrations(unit));
  invalidate(cache, unit === null ? queryKeys.protocolsOfUnits : queryKeys.calibrationProtocols(unit));
}

function replaceAll(cache: QueryClient, snapshot: LiveSnapshot, nowMs: number): void {
  const { experiments, assignments, workers, units, jobs, held_jobs, tasks, alarms, stops, leader, version } = snapshot;
  const isFirst = cache.getQueryData(queryKeys.leader) === undefined;
  void cache.cancelQueries({ queryKey: queryKeys.experiments });
  void cache.cancelQueries({ queryKey: queryKeys.assignments });
  void cache.cancelQueries({ queryKey: queryKeys.workers });
  void cache.cancelQueries({ queryKey: queryKeys.units });
  cache.setQueryData(queryKeys.leader, { leader, version, aheadMs: Date.parse(snapshot.server_time) - nowMs });
  cache.setQueryData(queryKeys.experiments, experiments);
  cache.setQueryData(queryKeys.assignments, assignments);
  cache.setQueryData(queryKeys.workers, workers);
  cache.setQueryData(queryKeys.units, units);
  cache.setQueryData(queryKeys.jobs, jobs);
  cache.setQueryData(queryKeys.heldJobs, held_jobs);
  cache.setQueryData(queryKeys.stops, stops);
  void cache.cancelQueries({ queryKey: queryKeys.openAlarms });
  cache.setQueryData(queryKeys.openAlarms, alarms);
  for (const task of tasks) cache.setQueryData(queryKeys.task(task.task_id), task);
  // Not part of a snapshot; they may have changed while the stream was down.
  invalidate(cache, queryKeys.joinRequests);
  invalidate(cache, queryKeys.allExperimentAccess);
  invalidate(cache, queryKeys.allLabels);
  invalidate(cache, queryKeys.latest);
  invalidate(cache, queryKeys.allSparklines);
  invalidate(cache, queryKeys.allHistories);
  invalidate(cache, queryKeys.allChartPreferences);
  invalidate(cache, queryKeys.sharedConfig);
  invalidate(cache, queryKeys.allConfigFiles);
  invalidate(cache, queryKeys.allAlarmHistories);
  invalidate(cache, queryKeys.allProfileRuns);
  // A page that was just opened is requesting them: to ask all units twice costs too much.
  if (!isFirst) invalidateCalibrations(cache, null);
}

const changeExperiments = (cache: QueryClient, change: (list: readonly Experiment[]) => readonly Experiment[]): void =>
  patch(cache, queryKeys.experiments, () => {
    cache.setQueryData(queryKeys.experiments, (list) => list && change(list));
  });

const changeAssignments = (cache: QueryClient, change: (list: readonly Assignment[]) => readonly Assignment[]): void =>
  patch(cache, queryKeys.assignments, () => {
    cache.setQueryData(queryKeys.assignments, (list) => list && change(list));
  });

const changeWorkers = (cache: QueryClient, change: (list: readonly Worker[]) => readonly Worker[]): void =>
  patch(cache, queryKeys.workers, () => {
    cache.setQueryData(queryKeys.workers, (list) => list && change(list));
  });

const changeUnits = (cache: QueryClient, change: (list: readonly UnitStatus[]) => readonly UnitStatus[]): void =>
  patch(cache, queryKeys.units, () => {
    cache.setQueryData(queryKeys.units, (list) => list && change(list));
  });

const patches: Patches = {
  snapshot: replaceAll,
  experiment: (cache, experiment) => {
    changeExperiments(cache, (list) => withExperiment(list, experiment));
    invalidate(cache, queryKeys.experimentAccess(experiment.experiment));
  },
  experiment_deleted: (cache, { experiment }) => {
    changeExperiments(cache, (list) => withoutExperiment(list, experiment));
    changeAssignments(cache, (list) => withFreedWorkers(list, experiment));
    cache.removeQueries({ queryKey: queryKeys.labels(experiment) });
    cache.removeQueries({ queryKey: queryKeys.experimentAccess(experiment) });
    cache.removeQueries({ queryKey: queryKeys.history(experiment) });
    cache.setQueryData(queryKeys.openAlarms, (list) => list?.filter((alarm) => alarm.experiment !== experiment));
  },
  assignment: (cache, assignment) => {
    changeAssignments(cache, (list) => withAssignment(list, assignment));
    invalidate(cache, queryKeys.allHistories);
    invalidate(cache, queryKeys.latest);
    invalidate(cache, queryKeys.allSparklines);
  },
  worker: (cache, worker) => {
    changeWorkers(cache, (list) => withWorker(list, worker));
    changeAssignments(cache, (list) => withActivityOf(list, worker));
  },
  worker_deleted: (cache, { reactor_unit }) => {
    changeWorkers(cache, (list) => withoutUnit(list, reactor_unit));
    changeAssignments(cache, (list) => withoutUnit(list, reactor_unit));
    changeUnits(cache, (list) => withoutUnit(list, reactor_unit));
    cache.setQueryData(queryKeys.jobs, (list) => list && withoutUnit(list, reactor_unit));
    cache.setQueryData(queryKeys.heldJobs, (list) => list && withoutUnit(list, reactor_unit));
    invalidate(cache, queryKeys.allHistories);
  },
  unit: (cache, unit) => {
    changeUnits(cache, (list) => withUnit(list, unit));
  },
  job: (cache, change) => {
    cache.setQueryData(queryKeys.jobs, (list) => list && withJobState(list, change));
    if (change.job_name === profileJobName) invalidate(cache, queryKeys.allProfileRuns);
  },
  setting: (cache, change) => {
    cache.setQueryData(queryKeys.jobs, (list) => list && withSetting(list, change));
    if (change.job_name === profileJobName) invalidate(cache, queryKeys.allProfileRuns);
  },
  held_jobs: (cache, { reactor_unit, held_jobs }) => {
    cache.setQueryData(queryKeys.heldJobs, (list = []) => [...withoutUnit(list, reactor_unit), ...held_jobs]);
  },
  labels: (cache, { experiment, labels }) => {
    invalidate(cache, queryKeys.latest);
    const queryKey = queryKeys.labels(experiment);
    patch(cache, queryKey, () => {
      cache.setQueryData(queryKey, labels);
    });
  },
  alarm: (cache, alarm) => {
    patch(cache, queryKeys.openAlarms, () => {
      cache.setQueryData(queryKeys.openAlarms, (list) => list && withAlarm(list, alarm));
    });
    invalidate(cache, queryKeys.allAlarmHistories);
  },
  task: (cache, task) => {
    cache.setQueryData(queryKeys.task(task.task_id), task);
  },
  stops: (cache, stops) => {
    cache.setQueryData(queryKeys.stops, stops);
  },
  chart_preferences: (cache, { experiment, ...preferences }) => {
    cache.setQueryData(queryKeys.chartPreferences(experiment), preferences);
  },
  calibrations: (cache, { reactor_unit: unit }) => {
    invalidateCalibrations(cache, unit);
  },
  config: (cache) => {
    invalidate(cache, queryKeys.sharedConfig);
    invalidate(cache, queryKeys.allConfigFiles);
    invalidate(cache, queryKeys.chartDescriptors);
  },
  join_requests: (cache, requests) => {
    patch(cache, queryKeys.joinRequests, () => {
      cache.setQueryData(queryKeys.joinRequests, requests);
    });
    // A machine that no longer waits may have joined.
    invalidate(cache, queryKeys.newUnits);
  },
  // The web UI keeps no state of these.
  replicate_groups: (cache, { experiment, groups }) => {
    cache.setQueryData(queryKeys.replicateGroups(experiment), groups);
  },
  notes: notState,
  reading: notState,
  dose: notState,
  log: notState,
};

/** All events of the stream by name. */
export const liveEventNames = Object.keys(patches).filter((name): name is LiveEventName => name in patches);

/** The only place where events of the live stream change the query cache. `nowMs` is the time of this device. */
export function applyLiveEvent<Name extends LiveEventName>(
  cache: QueryClient,
  name: Name,
  data: LiveEvents[Name],
  nowMs: number,
): void {
  patches[name](cache, data, nowMs);
}
