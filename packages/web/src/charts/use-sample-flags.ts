import type { FlaggedSpan } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import type { ChartSource } from './chart-source.ts';
import { type FlagSpan, spansByLine } from './flag-spans.ts';
import { sinceEnd } from './use-chart-lines.ts';

/** Charts draw flags as spans, which are requested: the live stream sends the flags of single readings. */
const pollMs = 30_000;
const nothing: readonly FlaggedSpan[] = [];

interface FlagsRequest {
  readonly source: ChartSource;
  readonly experiment: string;
  readonly hours: number;
  readonly hoursSinceEnd: () => number;
  /** Whether the chart is in view. */
  readonly isWanted: boolean;
}

/** The flagged spans of a chart, by line. All charts of a window share one request. */
export function useSampleFlags({ source, experiment, hours: shownHours, hoursSinceEnd, isWanted }: FlagsRequest) {
  const hours = useMemo(() => sinceEnd(shownHours, hoursSinceEnd), [shownHours, hoursSinceEnd]);
  const { leader, updates } = useServices();
  const { data_source, data_source_column } = source;
  const { data = nothing, refetch } = useQuery({
    queryKey: queryKeys.sampleFlags(experiment, hours),
    queryFn: ({ signal }) => leader.listSampleFlags({ params: { experiment }, query: { lookback: hours }, signal }),
    enabled: isWanted,
    staleTime: pollMs / 2,
    refetchInterval: pollMs,
    refetchOnWindowFocus: false,
  });
  useEffect(
    () =>
      updates.onMissed(() => {
        if (isWanted) void refetch({ cancelRefetch: false });
      }),
    [updates, isWanted, refetch],
  );
  return useMemo(
    (): ReadonlyMap<string, readonly FlagSpan[]> => spansByLine({ data_source, data_source_column }, data),
    [data_source, data_source_column, data],
  );
}
