import { hourMs, type TimeSeries } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { type ChartSource, fetchSeries } from './chart-source.ts';
import { createLineCache, type LineCache, usualTargetPoints } from './line-cache.ts';
import type { TimeRange } from './plot-types.ts';

/** Without the live stream charts are asked for so often. */
const pollMs = 15_000;
/** How long the readings of a window that is not shown any more are kept. */
const keptMs = 60_000;
/** A zoomed chart asks for as many points as its window then has the usual number, but for no more than this. */
const mostTargetPoints = 5000;

const chartQueryKey = 'series';

interface ChartRequest {
  readonly source: ChartSource;
  /** What becomes of each value. */
  readonly transform: (y: number) => number;
  readonly experiment: string;
  readonly hours: number;
  readonly zoom: TimeRange | null;
  /** The end of the window, time of the leader. */
  readonly nowMs: () => number;
  /** Hours from the end of the window until now: of an experiment that is over. */
  readonly hoursSinceEnd: () => number;
  /** Whether it was ever in sight: until then nothing is asked for. */
  readonly isWanted: boolean;
}

/** What to ask for while a window is zoomed: back to its begin, in as much detail as its width deserves. */
function zoomedQuery(zoom: TimeRange, hours: number, nowMs: number) {
  const back = Math.min(hours, (nowMs - zoom.fromMs) / hourMs) * 1.02 + 0.02;
  const share = (back * hourMs) / Math.max(1, zoom.toMs - zoom.fromMs);
  const target_points = Math.min(mostTargetPoints, Math.ceil((usualTargetPoints * share) / 100) * 100);
  return { lookback: Number(back.toFixed(2)), target_points };
}

/** Hours to ask back from now for a window that ended before; a little more than enough. */
export const sinceEnd = (hours: number, hoursSinceEnd: () => number): number => {
  const since = hoursSinceEnd();
  return since === 0 ? hours : Number((hours + since + 0.01).toFixed(2));
};

/** The lines of a chart: asked for when first in sight, then kept true by the stream. */
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
    const asked =
      zoom === null ? { lookback: hours, target_points: usualTargetPoints } : zoomedQuery(zoom, hours, nowMs());
    return { ...asked, lookback: sinceEnd(asked.lookback, hoursSinceEnd) };
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
