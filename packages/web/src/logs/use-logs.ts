import type { LogEntry } from '@lcs/contract';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { firstPageBefore, joinedLogs, type LogFilter, matchesLog, nextPageBefore, withLog } from './log-list.ts';

const pollMs = 10_000;

/** The event log of an experiment or of the cluster: a page at a time, with live entries at the front. */
export function useLogs(filter: LogFilter, pageSize: number, isWanted: boolean) {
  const { leader, updates } = useServices();
  const cache = useQueryClient();
  const phase = useConnectionPhase();
  const { experiment, minLevel, search, unit, untilMs } = filter;
  const queryKey = ['logs', experiment, minLevel, search, unit, untilMs] as const;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }): Promise<readonly LogEntry[]> => {
      const query = {
        min_level: minLevel,
        limit: pageSize,
        ...(search === '' ? {} : { search }),
        ...(pageParam === null ? {} : { before: pageParam }),
      };
      if (experiment === null)
        return unit === null
          ? leader.listLogs({ query, signal })
          : leader.listUnitLogs({ params: { reactor_unit: unit }, query, signal });
      return unit === null
        ? leader.listExperimentLogs({ params: { experiment }, query, signal })
        : leader.listWorkerLogs({ params: { experiment, reactor_unit: unit }, query, signal });
    },
    initialPageParam: firstPageBefore(filter),
    getNextPageParam: (page) => nextPageBefore(page, pageSize),
    enabled: isWanted,
    staleTime: 0,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
    refetchInterval: phase === 'live' ? false : pollMs,
  });
  useEffect(() => {
    const filtered: LogFilter = { experiment, minLevel, search, unit, untilMs };
    return updates.onLog((entry) => {
      if (!matchesLog(entry, filtered)) return;
      cache.setQueryData<InfiniteData<readonly LogEntry[], string | null>>(
        ['logs', experiment, minLevel, search, unit, untilMs],
        (data) => data && { ...data, pages: [...withLog(data.pages, entry)] },
      );
    });
  }, [updates, cache, experiment, minLevel, search, unit, untilMs]);
  const { refetch } = query;
  useEffect(
    () =>
      updates.onMissed(() => {
        if (isWanted) void refetch();
      }),
    [updates, refetch, isWanted],
  );
  return { ...query, entries: joinedLogs(query.data?.pages ?? []) };
}
