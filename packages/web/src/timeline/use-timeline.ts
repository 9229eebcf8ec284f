import type { TimelineEntry, TimelineKind } from '@lcs/contract';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { createLeaderClient } from '../api/clients.ts';
import { useConnectionPhase } from '../services/use-connection.ts';
import { useHappenings } from './use-happenings.ts';

const secondMs = 1000;
const pollMs = 15 * secondMs;

/** Which entries are shown. */
export interface TimelineView {
  readonly experiment: string;
  readonly kinds: readonly TimelineKind[];
  /** `null`: all. */
  readonly unit: string | null;
  readonly by: string | null;
  /** A window, milliseconds; `null`: from the beginning, or until now. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
}

interface Page {
  readonly entries: readonly TimelineEntry[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: string | undefined;
}

async function readPage(
  { experiment, kinds, unit, by, sinceMs, untilMs }: TimelineView,
  before: string | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<Page> {
  let next: string | undefined;
  const leader = createLeaderClient((response) => {
    next = response.headers.get('x-next-before') ?? undefined;
  });
  const query = {
    kinds: kinds.join(','),
    limit,
    ...(unit !== null && { reactor_unit: unit }),
    ...(by !== null && { by }),
    ...(sinceMs !== null && { since: new Date(sinceMs).toISOString() }),
    ...(untilMs !== null && { until: new Date(untilMs).toISOString() }),
    ...(before !== undefined && { before }),
  };
  const entries = await leader.getTimeline({ params: { experiment }, query, signal });
  return { entries, next };
}

const keyOf = (view: TimelineView) => ['timeline', view.experiment, view] as const;

/** The timeline of an experiment: a page at a time, with what happens at the front. */
export function useTimeline(view: TimelineView, pageLength: number, isWanted: boolean) {
  const phase = useConnectionPhase();
  const query = useInfiniteQuery({
    queryKey: keyOf(view),
    queryFn: ({ pageParam, signal }) => readPage(view, pageParam, pageLength, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled: isWanted && view.kinds.length > 0,
    staleTime: 0,
    gcTime: 60 * secondMs,
    refetchOnWindowFocus: false,
    refetchInterval: phase === 'live' ? false : pollMs,
  });
  useHappenings(view.experiment, isWanted, () => void query.refetch({ cancelRefetch: false }));
  return query;
}

/** Reads the timeline of an experiment again: after a note was written, corrected or removed. */
export function useTimelineChanged(experiment: string): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.resetQueries({ queryKey: ['timeline', experiment] });
}
