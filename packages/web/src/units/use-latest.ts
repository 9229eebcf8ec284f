import { readingSources } from '@lcs/domain';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { LeaderClient } from '../api/clients.ts';
import { type ChartSource, fetchSeries } from '../charts/chart-source.ts';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { createLatestReadingsCache, type LatestReadingsCache, type UnitLatest } from './latest-readings.ts';

/** The sources that a unit's card shows. */
const sources: readonly ChartSource[] = (['od', 'growth_rate', 'temperature', 'stirring_rpm'] as const).map((name) => ({
  data_source: readingSources[name].table.name,
  data_source_column: readingSources[name].table.column,
}));

/** One point is the newest one, however old. */
const newest = { lookback: 100_000, target_points: 1 };
/** The lookback of flags, in hours: an older reading is shown as old anyway. */
const flagHours = 4;
const pollMs = 10_000;

/**
 * The newest readings of an experiment, by source. A source that could not be read has a rejected entry; if no
 * source could be read, the function throws.
 */
export async function fetchLatest(leader: LeaderClient, experiment: string, signal: AbortSignal) {
  const series = await Promise.allSettled(
    sources.map((source) => fetchSeries(leader, source, experiment, newest, signal)),
  );
  const [first] = series;
  if (first?.status === 'rejected' && series.every(({ status }) => status === 'rejected')) throw first.reason;
  return series;
}

/** The latest readings of all units of an experiment: requested once, then updated by the live stream. */
export function useLatestReadings(experiment: string): LatestReadingsCache {
  const { leader, updates } = useServices();
  const phase = useConnectionPhase();
  const cache = useMemo(() => createLatestReadingsCache(experiment), [experiment]);
  const { data, refetch } = useQuery({
    queryKey: ['latest readings', experiment],
    queryFn: async ({ signal }) => {
      const flags = { params: { experiment }, query: { lookback: flagHours }, signal };
      const [series, [spans]] = await Promise.all([
        fetchLatest(leader, experiment, signal),
        Promise.allSettled([leader.listSampleFlags(flags)]),
      ]);
      // The next reading of the live stream brings flags that could not be read now.
      return { series, spans: spans.status === 'fulfilled' ? spans.value : [] };
    },
    structuralSharing: false,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: phase === 'live' ? false : pollMs,
  });
  useEffect(() => {
    const { series, spans } = data ?? { series: [], spans: [] };
    for (const [index, answer] of series.entries()) {
      const source = sources[index];
      // A source that could not be read is shown as "no reading"; its chart shows the reason.
      if (source && answer.status === 'fulfilled') cache.merge(source, answer.value, spans);
    }
  }, [data, cache]);
  useEffect(() => updates.onReadings(cache.add), [updates, cache]);
  useEffect(() => updates.onMissed(() => void refetch()), [updates, refetch]);
  return cache;
}

const LatestContext = createContext<LatestReadingsCache | null>(null);
export const LatestProvider = LatestContext.Provider;

/** The newest readings of one unit. */
export function useLatestOf(unit: string): UnitLatest {
  const cache = useContext(LatestContext);
  if (cache === null) throw new Error('useLatestOf needs a LatestProvider above it');
  return useSyncExternalStore(cache.subscribe, () => cache.of(unit));
}
