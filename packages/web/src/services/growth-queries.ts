import { ProblemError } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from './services.tsx';
import { useMutation } from './use-mutation.ts';

/** The leader keeps results for at least this long. */
const staleMs = 300_000;

/** Whether a task must compute the curves first. */
const isNotReady = (error: unknown): boolean =>
  error instanceof ProblemError && error.body.code === 'growth_summary_not_ready';

/** Growth curves of an experiment. `isNotReady`: a task must compute them first. */
export function useGrowthSummary(experiment: string, enabled: boolean) {
  const { leader } = useServices();
  const query = useQuery({
    queryKey: queryKeys.growthSummary(experiment),
    queryFn: ({ signal }) => leader.getGrowthSummary({ params: { experiment }, query: {}, signal }),
    staleTime: staleMs,
    retry: false,
    enabled,
  });
  return { ...query, isNotReady: isNotReady(query.error) };
}

/** What hour 0 of compared curves is. */
interface ComparisonAlignment {
  readonly on: 'start' | 'first_dilution' | 'od';
  readonly od?: number;
}

/** The curves of experiments, aligned on their start, on their first dilution or on an optical density. */
export function useGrowthComparison(experiments: readonly string[], { on, od }: ComparisonAlignment) {
  const { leader } = useServices();
  const query = useQuery({
    queryKey: queryKeys.growthComparison(experiments, on, od),
    queryFn: ({ signal }) =>
      leader.compareGrowth({
        query: { experiments: [...experiments], align: on, ...(od !== undefined && { od }) },
        signal,
      }),
    staleTime: staleMs,
    retry: false,
  });
  return { ...query, isNotReady: isNotReady(query.error) };
}

/** Starts the task that computes the growth curves of many units. */
export function useComputeGrowth(experiment: string) {
  const { leader } = useServices();
  return useMutation({ mutationFn: () => leader.computeGrowthSummary({ params: { experiment }, query: {} }) });
}
