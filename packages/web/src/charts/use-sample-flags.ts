import type { FlaggedSpan, Reading } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import type { ChartSource } from './chart-source.ts';
import { beginsFlag, type FlagSpan, spansByLine } from './flag-spans.ts';
import { sinceEnd } from './use-chart-lines.ts';

/** Charts draw flags as spans, which are requested: again when the live stream has a reading with a flag that begins. */
const pollMs = 30_000;
/** Readings of several units and channels that come together are requested together. */
const pauseMs = 1_000;
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
  const { leader, updates, clock } = useServices();
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
  const spans = useMemo(
    (): ReadonlyMap<string, readonly FlagSpan[]> => spansByLine({ data_source, data_source_column }, data),
    [data_source, data_source_column, data],
  );
  const isNews = useEffectEvent(
    (reading: Reading) => reading.experiment === experiment && beginsFlag(source, spans, reading),
  );
  const readAgain = useEffectEvent(() => void refetch({ cancelRefetch: false }));
  useEffect(() => {
    if (!isWanted) return undefined;
    let cancel: (() => void) | null = null;
    const stop = updates.onReadings((readings) => {
      if (cancel !== null || !readings.some(isNews)) return;
      cancel = clock.after(pauseMs, () => {
        cancel = null;
        readAgain();
      });
    });
    return () => {
      stop();
      cancel?.();
    };
  }, [updates, clock, isWanted]);
  return spans;
}
