import { readingSources } from '@lcs/domain';
import { useQuery } from '@tanstack/react-query';
import type { LeaderClient } from '../api/clients.ts';
import { type ChartSource, fetchSeries } from '../charts/chart-source.ts';
import { useServices } from '../services/services.tsx';

/** Most experiments have readings of one of these. */
const sources: readonly ChartSource[] = (['od', 'growth_rate', 'temperature', 'stirring_rpm'] as const).map((name) => ({
  data_source: readingSources[name].table.name,
  data_source_column: readingSources[name].table.column,
}));

/** One point is the newest one, however old. */
const newest = { lookback: 100_000, target_points: 1 };

/** The newest readings by source; a source that could not be read is left out, unless none could be read. */
async function fetchNewest(leader: LeaderClient, experiment: string, signal: AbortSignal) {
  const answers = await Promise.allSettled(
    sources.map((source) => fetchSeries(leader, source, experiment, newest, signal)),
  );
  const [first] = answers;
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason;
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.data.flat() : []));
}

/** The time of the newest reading of an experiment, milliseconds; `null`: none, or not known yet. */
export function useNewestReading(experiment: string, isWanted: boolean): number | null {
  const { leader } = useServices();
  const { data = null } = useQuery({
    queryKey: ['newest reading', experiment],
    queryFn: async ({ signal }) => {
      const times = (await fetchNewest(leader, experiment, signal)).map(({ x }) => Date.parse(x));
      return times.length === 0 ? null : Math.max(...times);
    },
    enabled: isWanted,
    // The experiment may go on, and stop again: what was read before is then too old.
    staleTime: 5_000,
  });
  return data;
}
