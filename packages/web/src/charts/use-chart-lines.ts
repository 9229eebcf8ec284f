import { hourMs, type TimeSeries } from '@lcs/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useServices } from '../services/services.tsx';
import { useConnectionPhase } from '../services/use-connection.ts';
import { type ChartSource, fetchSeries } from './chart-source.ts';
import { createLineCache, type LineCache, targetPointsFor, usualTargetPoints } from './line-cache.ts';
import type { TimeRange } from './time-range.ts';
import { detailWindow } from './time-window.ts';

/** The interval of requests without the live stream. */
const pollMs = 15_000;
/** How long the readings of a window that is no longer shown are kept. */
const keptMs = 60_000;

const chartQueryKey = 'series';

interface ChartRequest {
  readonly source: ChartSource;
  readonly transform: (y: number) => number;
  readonly experiment: string;
  readonly hours: number;
  /** How many units the experiment has. */
  readonly unitCount: number;
  readonly zoom: TimeRange | null;
  /** Hours from the end of the window until now: of an experiment that is over. */
  readonly hoursSinceEnd: () => number;
  /** Whether it was ever in view: until then nothing is requested. */
  readonly isWanted: boolean;
}

/** The request for a zoomed window, in as much detail as a chart of usual width needs. */
function detailRequest(zoom: TimeRange) {
  const { fromMs, toMs } = detailWindow(zoom);
  const share = (toMs - fromMs) / Math.max(1, zoom.toMs - zoom.fromMs);
  const query = {
    lookback: (toMs - fromMs) / hourMs,
    until: new Date(toMs).toISOString(),
    target_points: Math.ceil((usualTargetPoints * share) / 100) * 100,
  };
  return { fromMs, query };
}

/** The lookback from now for a window that ended before; a little more than enough. */
export const sinceEnd = (hours: number, hoursSinceEnd: () => number): number => {
  const since = hoursSinceEnd();
  return since === 0 ? hours : Number((hours + since + 0.01).toFixed(2));
};

const queryOptions = {
  structuralSharing: false,
  gcTime: keptMs,
  // The window moves on: data that were kept while the chart was out of view are old. In view, the live stream updates them.
  staleTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** The readings of a zoomed window; those of the window before are kept until they arrive. */
function useDetail({ source, experiment, zoom, isWanted }: ChartRequest, cache: LineCache) {
  const { leader } = useServices();
  const { data_source, data_source_column } = source;
  const request = useMemo(() => zoom && detailRequest(zoom), [zoom]);
  const detail = useQuery({
    ...queryOptions,
    queryKey: [chartQueryKey, experiment, data_source, data_source_column, 'detail', request?.query],
    queryFn: async ({ signal }) => ({
      answer: await fetchSeries(
        leader,
        { data_source, data_source_column },
        experiment,
        request?.query ?? { lookback: 0, target_points: usualTargetPoints },
        signal,
      ),
      fromMs: request?.fromMs ?? 0,
    }),
    enabled: isWanted && request !== null,
    placeholderData: keepPreviousData,
  });
  const { data } = detail;
  const isZoomed = zoom !== null;
  useEffect(() => cache.refine(isZoomed ? (data ?? null) : null), [cache, data, isZoomed]);
  return detail;
}

/** The lines of a chart: requested when it is first in view, then updated by the live stream; a zoomed window in detail. */
export function useChartLines(chart: ChartRequest) {
  const { source, transform, experiment, hours, unitCount, zoom, hoursSinceEnd, isWanted } = chart;
  const { leader, updates } = useServices();
  const phase = useConnectionPhase();
  const { data_source, data_source_column } = source;
  const request = useMemo(
    () => ({ lookback: sinceEnd(hours, hoursSinceEnd), target_points: targetPointsFor(unitCount) }),
    [hours, hoursSinceEnd, unitCount],
  );
  const { data, error, isFetching, refetch } = useQuery<TimeSeries>({
    ...queryOptions,
    queryKey: [chartQueryKey, experiment, data_source, data_source_column, request],
    queryFn: ({ signal }) => fetchSeries(leader, { data_source, data_source_column }, experiment, request, signal),
    enabled: isWanted,
    refetchInterval: phase === 'live' ? false : pollMs,
  });

  const cache: LineCache = useMemo(
    () => createLineCache({ source: { data_source, data_source_column }, experiment, transform }),
    [data_source, data_source_column, experiment, transform],
  );
  const detail = useDetail(chart, cache);
  const { refetch: refetchDetail } = detail;

  useEffect(() => {
    if (data !== undefined) cache.replace(data, request.target_points);
  }, [data, cache, request]);

  const isZoomed = zoom !== null;
  useEffect(() => {
    const readAgain = (cancelRefetch: boolean): void => {
      void refetch({ cancelRefetch });
      if (isZoomed) void refetchDetail({ cancelRefetch });
    };
    if (!isWanted) return undefined;
    const stops = [
      updates.onReadings((readings) => {
        cache.add(readings);
        if (cache.isLong()) readAgain(false);
      }),
      updates.onMissed(() => readAgain(true)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [updates, cache, isWanted, isZoomed, refetch, refetchDetail]);

  return {
    cache,
    isKnown: data !== undefined,
    error: error ?? detail.error,
    isFetching: isFetching || detail.isFetching,
    retry: () => {
      void refetch();
      if (isZoomed) void refetchDetail();
    },
  };
}
