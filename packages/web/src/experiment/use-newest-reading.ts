import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services/services.tsx';
import { fetchLatest } from '../units/use-latest.ts';

/** The time of the newest reading of an experiment, milliseconds; `null`: none, or not known yet. */
export function useNewestReading(experiment: string, isWanted: boolean): number | null {
  const { leader } = useServices();
  const { data = null } = useQuery({
    queryKey: ['newest reading', experiment],
    queryFn: async ({ signal }) => {
      const answers = await fetchLatest(leader, experiment, signal);
      const times = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? answer.value.data.flat().map(({ x }) => Date.parse(x)) : [],
      );
      return times.length === 0 ? null : Math.max(...times);
    },
    enabled: isWanted,
    // The experiment may go on: units may be assigned to it again.
    staleTime: 60_000,
  });
  return data;
}
