import type { ActuatedOutput, Actuation } from '@lcs/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { createLeaderClient } from '../api/clients.ts';

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
  before: string | undefined,
  signal: AbortSignal,
): Promise<Page> {
  let next: string | undefined;
  const leader = createLeaderClient((response) => {
    next = response.headers.get('x-next-before') ?? undefined;
  });
  const query = { limit: pageLength, ...(output !== null && { output }), ...(before !== undefined && { before }) };
  const actuations = await leader.listWorkerActuations({ params: { reactor_unit: unit }, query, signal });
  return { actuations, next };
}

/** The actuations of a unit, newest first, page by page; `output`: of one output only. */
export const useActuations = (unit: string, output: ActuatedOutput | null) =>
  useInfiniteQuery({
    queryKey: ['actuations', unit, output],
    queryFn: ({ pageParam, signal }) => readPage(unit, output, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: pollMs,
    refetchInterval: pollMs,
  });
