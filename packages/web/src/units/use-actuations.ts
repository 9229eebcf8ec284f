import type { ActuatedOutput, Actuation } from '@lcs/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { createLeaderClient } from '../api/clients.ts';
import { useServices } from '../services/services.tsx';

const pageLength = 50;
const pollMs = 15_000;

interface Page {
  readonly actuations: readonly Actuation[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: string | undefined;
}

async function readPage(
  unit: string,
  output: ActuatedOutput | null,
  untilMs: number | null,
  before: string | undefined,
  signal: AbortSignal,
): Promise<Page> {
  let next: string | undefined;
  const leader = createLeaderClient((response) => {
    next = response.headers.get('x-next-before') ?? undefined;
  });
  const query = {
    limit: pageLength,
    ...(output !== null && { output }),
    ...(untilMs !== null && { until: new Date(untilMs).toISOString() }),
    ...(before !== undefined && { before }),
  };
  const actuations = await leader.listWorkerActuations({ params: { reactor_unit: unit }, query, signal });
  return { actuations, next };
}

/** A run that is pumped ends without an event of the live stream where it is whole. */
const pumpingPollMs = 2_000;

/** The actuations of a unit, newest first, page by page; `output`: of one output only; `untilMs`: before this moment. Read again with each piece of a dose. */
export function useActuations(unit: string, output: ActuatedOutput | null, untilMs: number | null = null) {
  const { updates } = useServices();
  const query = useInfiniteQuery({
    queryKey: ['actuations', unit, output, untilMs],
    queryFn: ({ pageParam, signal }) => readPage(unit, output, untilMs, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: pollMs,
    refetchInterval: ({ state: { data } }) => {
      const newest = data?.pages[0]?.actuations ?? [];
      return newest.some(({ pumped }) => pumped?.state === 'pumping') ? pumpingPollMs : pollMs;
    },
  });
  const readAgain = useEffectEvent(() => void query.refetch({ cancelRefetch: false }));
  useEffect(
    () =>
      updates.onDose(({ reactor_unit }) => {
        if (reactor_unit === unit) readAgain();
      }),
    [updates, unit],
  );
  return query;
}
