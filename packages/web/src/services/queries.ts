import type { LiveJob } from '@lcs/contract';
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { type LeaderIdentity, queryKeys } from '../api/query-keys.ts';
import { useServices } from './services.tsx';
import { useConnectionPhase } from './use-connection.ts';

/** The identity of the leader from the live stream; `undefined` until the stream has sent it. */
export const useLeaderIdentity = (): LeaderIdentity | undefined =>
  useQuery<LeaderIdentity>({ queryKey: queryKeys.leader, queryFn: skipToken }).data;

/** Who uses the web UI; undefined until the leader has answered. */
export function useSession() {
  const { leader } = useServices();
  return useQuery({ queryKey: queryKeys.session, queryFn: ({ signal }) => leader.getSession({ signal }) }).data;
}

/** People with an account. */
export function usePeople() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.people,
    queryFn: ({ signal }) => leader.listPeople({ signal }),
    staleTime: 0,
  });
}

/** Owner, members and protection of an experiment; undefined until they are known. */
export function useExperimentAccess(experiment: string | undefined) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.experimentAccess(experiment ?? ''),
    queryFn:
      experiment === undefined
        ? skipToken
        : ({ signal }) => leader.getExperimentAccess({ params: { experiment }, signal }),
  }).data;
}

/** While the live stream is down, lists are polled at this interval. */
const pollMs = 10_000;

const usePolling = (): false | number => (useConnectionPhase() === 'live' ? false : pollMs);

export function useExperiments() {
  const { leader } = useServices();
  const refetchInterval = usePolling();
  return useQuery({
    ...queryOptions({
      queryKey: queryKeys.experiments,
      queryFn: ({ signal }) => leader.listExperiments({ query: { creators: true }, signal }),
    }),
    refetchInterval,
  });
}

export function useAssignments() {
  const { leader } = useServices();
  const refetchInterval = usePolling();
  return useQuery({
    ...queryOptions({ queryKey: queryKeys.assignments, queryFn: ({ signal }) => leader.listAssignments({ signal }) }),
    refetchInterval,
  });
}

export function useWorkers() {
  const { leader } = useServices();
  const refetchInterval = usePolling();
  return useQuery({
    ...queryOptions({ queryKey: queryKeys.workers, queryFn: ({ signal }) => leader.listWorkers({ signal }) }),
    refetchInterval,
  });
}

export function useLabels(experiment: string, isEnabled = true) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.labels(experiment),
    queryFn: ({ signal }) => leader.getUnitLabels({ params: { experiment }, signal }),
    enabled: isEnabled,
  });
}

export function useHistory(experiment: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.history(experiment),
    queryFn: ({ signal }) => leader.listHistoricalAssignments({ params: { experiment }, signal }),
  });
}

/** A unit reports its interruptions late, after it is back. */
const interruptionsPollMs = 30_000;
/** So many interruptions are shown, the newest. */
const mostInterruptions = 1_000;

/** When units of an experiment were off, and which of their records are missing; the newest first. */
export function useInterruptions(experiment: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.interruptions(experiment),
    queryFn: ({ signal }) =>
      leader.listInterruptions({ params: { experiment }, query: { limit: mostInterruptions }, signal }),
    refetchInterval: interruptionsPollMs,
  });
}

export function useModels() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.models,
    queryFn: async ({ signal }) => (await leader.listModels({ signal })).models,
  });
}

const unfinishedPollMs = 1500;

/** A task by its id, followed until it has ended. */
export function useTask(taskId: string) {
  const { node } = useServices();
  return useQuery({
    queryKey: queryKeys.task(taskId),
    queryFn: ({ signal }) => node.getTaskResult({ params: { task_id: taskId }, signal }),
    // The live stream sends it sooner; polling makes sure of the end.
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'succeeded' || data?.status === 'failed' ? false : unfinishedPollMs,
  });
}

export function useUnits() {
  const { leader } = useServices();
  const refetchInterval = usePolling();
  return useQuery({
    ...queryOptions({ queryKey: queryKeys.units, queryFn: ({ signal }) => leader.listUnits({ signal }) }),
    refetchInterval,
  });
}

/** Jobs that run or were lost, of all units: known from the live stream only. */
export const useJobs = (): readonly LiveJob[] | undefined =>
  useQuery<readonly LiveJob[]>({ queryKey: queryKeys.jobs, queryFn: skipToken }).data;

/** The calibrations of all units without their curves, with one request. */
export function useAllCalibrations() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.allCalibrations,
    queryFn: ({ signal }) => leader.listAllCalibrations({ signal }),
    staleTime: 0,
  });
}

export function useChartDescriptors() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.chartDescriptors,
    queryFn: ({ signal }) => leader.listChartDescriptors({ signal }),
  });
}

export function useChartPreferences(experiment: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.chartPreferences(experiment),
    queryFn: ({ signal }) => leader.getChartPreferences({ params: { experiment }, signal }),
  });
}

export function useSharedConfig() {
  const { leader } = useServices();
  return useQuery({ queryKey: queryKeys.sharedConfig, queryFn: ({ signal }) => leader.getSharedConfig({ signal }) });
}

/** Plugins, and the jobs that they add, change rarely. */
const descriptorsPollMs = 300_000;

/** The descriptors of all jobs of the leader, with those of its plugins. */
export function useJobDescriptors() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.jobDescriptors,
    queryFn: ({ signal }) => leader.listJobDescriptors({ signal }),
    refetchInterval: descriptorsPollMs,
  });
}

/** The groups of replicates of an experiment; kept current by the live stream. */
export function useReplicateGroups(experiment: string, isWanted = true) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.replicateGroups(experiment),
    queryFn: ({ signal }) => leader.listReplicateGroups({ params: { experiment }, signal }),
    enabled: isWanted,
  }).data;
}

/** The datasets that can be exported. */
export function useExportableDatasets() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.datasets,
    queryFn: ({ signal }) => leader.listExportableDatasets({ signal }),
  });
}

/** Each read goes over all doses: with 450,000 of them it takes 1.3 s of processor time of the leader. */
const mediaPollMs = 60_000;

/** What all units of the experiment have used and have left, with one request; `isFollowed`: again every minute. */
export function useMedia(experiment: string, { isFollowed }: { readonly isFollowed: boolean }) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.media(experiment),
    queryFn: ({ signal }) => leader.getMediaRates({ params: { experiment }, query: { totals: true }, signal }),
    staleTime: 0,
    refetchInterval: isFollowed ? mediaPollMs : false,
  });
}
