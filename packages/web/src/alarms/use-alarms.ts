import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { useLeaderNow } from '../services/use-ticking.ts';

/** Polling interval while the live stream is down. */
const pollMs = 10_000;
const pageSize = 50;
const most = 1_000;

/** All alarms that are not cleared. */
export function useOpenAlarms() {
  const { leader } = useServices();
  const isLive = useConnectionPhase() === 'live';
  return useQuery({
    queryKey: queryKeys.openAlarms,
    queryFn: ({ signal }) => leader.listAlarms({ query: { limit: most }, signal }),
    refetchInterval: isLive ? false : pollMs,
  });
}

/** One alarm with its history. */
export function useAlarm(alarmId: string) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.alarm(alarmId),
    queryFn: ({ signal }) => leader.getAlarm({ params: { alarm_id: alarmId }, signal }),
  });
}

interface PastFilter {
  readonly search: string;
  /** How far back; null: any time. */
  readonly spanMs: number | null;
}

/** Cleared alarms, a page at a time. */
export function usePastAlarms({ search, spanMs }: PastFilter) {
  const { leader } = useServices();
  const nowMs = useLeaderNow();
  const query = useInfiniteQuery({
    queryKey: [...queryKeys.allAlarmHistories, 'past', search, spanMs],
    queryFn: ({ pageParam, signal }) =>
      leader.listAlarms({
        query: {
          state: 'cleared',
          limit: pageSize,
          skip: pageParam,
          ...(search !== '' && { search }),
          ...(spanMs !== null && { since: new Date(nowMs() - spanMs).toISOString() }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    getNextPageParam: (page, pages) => (page.length < pageSize ? null : pages.length * pageSize),
    staleTime: 0,
  });
  return { ...query, alarms: (query.data?.pages ?? []).flat() };
}

export function useAlarmRules() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.alarmRules,
    queryFn: ({ signal }) => leader.listAlarmRules({ signal }),
    staleTime: 0,
  });
}

export function useAlarmChannels() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.alarmChannels,
    queryFn: ({ signal }) => leader.listAlarmChannels({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
}
