import { hourMs, type TimeSeries } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { type ChartSource, fetchSeries } from './chart-source.ts';
import { createLineCache, type LineCache, usualTargetPoints } from './line-cache.ts';
import type { TimeRange } from './plot-types.ts';

/** The interval of requests without the live stream. */
const pollMs = 15_000;
/** How long the readings of a window that is no longer shown are kept. */
const keptMs = 60_000;
/** A zoomed chart requests so many points that its window has the usual number, but at most this many. */
const mostTargetPoints = 5000;

const chartQueryKey = 'series';

interface ChartRequest {
  readonly source: ChartSource;
  readonly transform: (y: number) => number;
  readonly experiment: string;
  readonly hours: number;
  readonly zoom: TimeRange | null;
  /** The end of the window, time of the leader. */
  readonly nowMs: () => number;
  /** Hours from the end of the window until now: of an experiment that is over. */
  readonly hoursSinceEnd: () => number;
  /** Whether it was ever in view: until then nothing is requested. */
  readonly isWanted: boolean;
}

/** The request for a zoomed window: back to its beginning, in as much detail as its width needs. */
function zoomedQuery(zoom: TimeRange, hours: number, nowMs: number) {
  const back = Math.min(hours, (nowMs - zoom.fromMs) / hourMs) * 1.02 + 0.02;
  const share = (back * hourMs) / Math.max(1, zoom.toMs - zoom.fromMs);
  const target_points = Math.min(mostTargetPoints, Math.ceil((usualTargetPoints * share) / 100) * 100);
  return { lookback: Number(back.toFixed(2)), target_points };
}

/** The lookback from now for a window that ended before; a little more than enough. */
export const sinceEnd = (hours: number, hoursSinceEnd: () => number): number => {
  const since = hoursSinceEnd();
  return since === 0 ? hours : Number((hours + since + 0.01).toFixed(2));
};

/** The lines of a chart: requested when it is first in view, then updated by the live stream. */
export function useChartLines({
  source,
  transform,
  experiment,
  hours,
  zoom,
  nowMs,
  hoursSinceEnd,
  isWanted,
}: ChartRequest) {
  const { leader, updates } = useServices();
  const phase = useConnectionPhase();
  const { data_source, data_source_column } = source;
  const request = useMemo(() => {
    const query =
      zoom === null ? { lookback: hours, target_points: usualTargetPoints } : zoomedQuery(zoom, hours, nowMs());
    return { ...query, lookback: sinceEnd(query.lookback, hoursSinceEnd) };
  }, [zoom, hours, nowMs, hoursSinceEnd]);
  const { data, error, isFetching, refetch } = useQuery<TimeSeries>({
    queryKey: [chartQueryKey, experiment, data_source, data_source_column, request],
    queryFn: ({ signal }) => fetchSeries(leader, { data_source, data_source_column }, experiment, request, signal),
    enabled: isWanted,
    structuralSharing: false,
    gcTime: keptMs,
    // The window moves on: data that were kept while the chart was out of view are old. In view, the live stream updates them.
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: phase === 'live' ? false : pollMs,
  });

  const cache: LineCache = useMemo(
    () => createLineCache({ source: { data_source, data_source_column }, experiment, transform }),
    [data_source, data_source_column, experiment, transform],
  );

  useEffect(() => {
    if (data !== undefined) cache.replace(data, request.target_points);
  }, [data, cache, request]);

  useEffect(
    () =>
      updates.onReadings((readings) => {
        if (!isWanted) return;
        cache.add(readings);
        if (cache.isLong()) void refetch({ cancelRefetch: false });
      }),
    [updates, cache, isWanted, refetch],
  );
  useEffect(
    () =>
      updates.onMissed(() => {
        if (isWanted) void refetch();
      }),
    [updates, isWanted, refetch],
  );

  return { cache, isKnown: data !== undefined, error, isFetching, retry: refetch };
}
