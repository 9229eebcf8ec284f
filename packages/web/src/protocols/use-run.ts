import { minuteMs, type ProfileItemKey, type ProfileRunDetails, type WaitingQuery } from '@lcs/contract';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { stopOfRun } from './run-state.ts';

export interface RunKey {
  readonly experiment: string;
  readonly run_id: string;
}

/** The live stream reports most changes of a run; what it does not report is at most this old. */
const runPollMs = 5_000;

/** How much is read of what waits, which may be tens of thousands of actions: all, the next of each unit, or so many. */
type WaitingPart = 'all' | 'next_of_each' | number;

function waitingQuery(part: WaitingPart): WaitingQuery {
  if (part === 'all') return {};
  return part === 'next_of_each' ? { waiting_per_unit: 1 } : { waiting_limit: part };
}

interface RunReading {
  readonly waiting: WaitingPart;
  readonly pollMs?: number;
  readonly isEnabled?: boolean;
}

/** A run with its text, and what is next; one that is under way is requested again after `pollMs`. */
export function useRun(params: RunKey, { waiting, pollMs = runPollMs, isEnabled = true }: RunReading) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.profileRunPart(params.experiment, params.run_id, waiting),
    queryFn: ({ signal }) => leader.getProfileRun({ params, query: waitingQuery(waiting), signal }),
    enabled: isEnabled,
    // More of it is read: what is known stays.
    placeholderData: (known) => (known?.run_id === params.run_id ? known : undefined),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (data === undefined || data.outcome === null ? pollMs : false),
  });
}

/** What a run has done, newest first; without a limit all of it. */
export function useRunActions(params: RunKey, limit: number | undefined, isRunning: boolean) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.profileRunActions(params.experiment, params.run_id, limit),
    queryFn: ({ signal }) =>
      leader.listProfileRunActions({ params, query: limit === undefined ? {} : { limit }, signal }),
    staleTime: 0,
    refetchInterval: isRunning ? runPollMs : false,
  });
}

/** The runs that are under way in an experiment. */
export function useRunningProfiles(experiment: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.runningProfiles(experiment),
    queryFn: ({ signal }) => leader.listRunningProfiles({ params: { experiment }, signal }),
    staleTime: 0,
  });
}

/** The newest run of an experiment, whether it has ended or not; an empty list: it has none. */
export function useLastRun(experiment: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.lastProfileRun(experiment),
    queryFn: ({ signal }) => leader.listRecentProfileRuns({ params: { experiment }, query: { limit: 1 }, signal }),
    staleTime: 0,
  });
}

/** The timeline has the request beside the end of the run; a stop may take as long as its units need to answer. */
const besideEndMs = 10 * minuteMs;

/** The audit stores a request after its response: a page that has heard of the end asks so often. */
const stopperTries = 5;
const stopperTryMs = 2_000;

/** Who stopped a run, by the timeline of its experiment; null: that is not known. */
export function useStopper({ experiment, run_id }: RunKey, { outcome, ended_at }: ProfileRunDetails) {
  const { leader } = useServices();
  const endedMs = ended_at === null ? Number.NaN : Date.parse(ended_at);
  const moment = (ms: number): string => new Date(ms).toISOString();
  return useQuery({
    queryKey: queryKeys.profileRunStopper(experiment, run_id),
    queryFn:
      outcome !== 'stopped'
        ? skipToken
        : async ({ signal }) => {
            const window = { since: moment(endedMs - besideEndMs), until: moment(endedMs + besideEndMs) };
            const query = { kinds: 'action', limit: 500, ...window };
            const actions = await leader.getTimeline({ params: { experiment }, query, signal });
            return stopOfRun(actions, run_id, endedMs)?.by ?? null;
          },
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < stopperTries ? stopperTryMs : false,
  }).data;
}

/** A control of a run; to skip needs the action to continue with. */
export type RunControl =
  | { readonly kind: 'pause' | 'resume' | 'stop' }
  | { readonly kind: 'skip'; readonly to: ProfileItemKey };

/** Pauses, resumes, stops or skips a run. */
export function useRunControl(params: RunKey) {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (control: RunControl): Promise<ProfileRunDetails> => {
      if (control.kind === 'skip') return leader.skipProfileItem({ params, body: control.to });
      if (control.kind === 'pause') return leader.pauseProfileRun({ params });
      if (control.kind === 'resume') return leader.resumeProfileRun({ params });
      return leader.stopProfileRun({ params });
    },
    onSuccess: (details) => {
      cache.setQueriesData({ queryKey: queryKeys.profileRun(params.experiment, params.run_id) }, details);
      return cache.invalidateQueries({ queryKey: queryKeys.allProfileRuns });
    },
  });
}
