import type { Sparklines } from '@lcs/contract';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';

const pollMs = 60_000;

/** The course of a quantity in all assigned units over the last hours: one request, at most 60 values each. */
export function useSparklines(
  source: 'od' | 'od_filtered',
  lookbackHours: number,
  isWanted = true,
): Sparklines | undefined {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.sparklines(source, lookbackHours),
    queryFn: ({ signal }) => leader.getSparklines({ params: { source }, query: { lookback: lookbackHours }, signal }),
    enabled: isWanted,
    staleTime: pollMs,
    refetchInterval: pollMs,
  }).data;
}
