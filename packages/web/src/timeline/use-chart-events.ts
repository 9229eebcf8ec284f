import { hourMs, minuteMs, type TimelineEntry } from '@lcs/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChartEvents } from '../charts/chart-view.ts';
import type { TimeRange } from '../charts/time-range.ts';
import { useServices } from '../services/services.tsx';
import { useLeaderNow } from '../services/use-ticking.ts';
import { chartEvents, withNewEntries } from './chart-events.ts';
import { useHappenings } from './use-happenings.ts';

/** The most entries on charts; of more, the newest. */
const mostEntries = 1000;
/** The volume of the newest dose still grows: so far back entries are requested again. */
const againMs = 10 * minuteMs;
/** Settings change seldom. */
const mostSettings = 300;
const marked = 'dose,note,alarm,profile,interruption';
const momentText = (ms: number): string => new Date(Math.max(0, ms)).toISOString();
const none: readonly TimelineEntry[] = [];

export interface EventWindow {
  /** The moment of the entry that is shown; `null`: none. */
  readonly chosenMs: number | null;
  /** `null`: from the beginning. */
  readonly hours: number | null;
  /** The zoomed window; `null`: the hours until now. */
  readonly zoom: TimeRange | null;
}

/** What charts of an experiment show of its timeline. */
export function useChartEvents(experiment: string, { hours, zoom, chosenMs }: EventWindow): ChartEvents {
  const { leader } = useServices();
  const leaderNowMs = useLeaderNow();
  const cache = useQueryClient();
  const happenedKey = ['timeline', experiment, 'on-charts', hours, zoom];
  const happened = useQuery({
    queryKey: happenedKey,
    queryFn: async ({ signal }) => {
      const windowMs = zoom?.fromMs ?? (hours === null ? null : leaderNowMs() - hours * hourMs);
      const known = cache.getQueryData<readonly TimelineEntry[]>(happenedKey) ?? none;
      const newest = known[0];
      // All of them have been read once; then only what is new.
      const sinceMs = newest === undefined ? windowMs : Math.max(windowMs ?? 0, Date.parse(newest.at) - againMs);
      const query = {
        kinds: marked,
        limit: mostEntries,
        ...(sinceMs !== null && { since: momentText(sinceMs) }),
        ...(zoom !== null && { until: momentText(zoom.toMs) }),
      };
      const entries = await leader.getTimeline({ params: { experiment }, query, signal });
      return withNewEntries(known, entries, windowMs ?? 0);
    },
    staleTime: minuteMs,
    refetchOnWindowFocus: false,
  });
  // A target that is in force may have begun before the window.
  const settings = useQuery({
    queryKey: ['timeline', experiment, 'targets'],
    queryFn: ({ signal }) =>
      leader.getTimeline({ params: { experiment }, query: { kinds: 'setting', limit: mostSettings }, signal }),
    staleTime: minuteMs,
    refetchOnWindowFocus: false,
  });
  useHappenings(experiment, true, () => {
    void happened.refetch({ cancelRefetch: false });
    void settings.refetch({ cancelRefetch: false });
  });
  const events = useMemo(
    () => chartEvents(happened.data ?? none, settings.data ?? none),
    [happened.data, settings.data],
  );
  return useMemo(() => ({ ...events, chosenMs }), [events, chosenMs]);
}
