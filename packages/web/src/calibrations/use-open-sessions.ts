import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { type OpenSession, openSessions } from './open-sessions.ts';

/** More than the leader gives a unit to answer. */
const taskTimeoutMs = 60_000;
/** Sessions that are begun elsewhere are not in the live stream. */
const pollMs = 60_000;

/** What all units that answer offer. */
function useOfferedProcedures() {
  const { leader, clock } = useServices();
  return useQuery({
    queryKey: queryKeys.offeredProcedures,
    queryFn: async ({ signal }) => {
      const accepted = await leader.listCalibrationProtocols({ params: { reactor_unit: broadcast }, signal });
      const task = await followTask(clock, accepted, taskTimeoutMs, signal);
      // With the checker of shapes: a tenth of the code of the first page, which shows the rest before.
      const { offeredProcedures } = await import('./offered-procedures.ts');
      return offeredProcedures(task);
    },
    staleTime: pollMs,
    refetchInterval: pollMs,
  });
}

/** The calibrations of all units that have begun and have not ended. */
export function useOpenSessions(): readonly OpenSession[] {
  const jobs = useJobs();
  const { data: offered } = useOfferedProcedures();
  return useMemo(() => openSessions(jobs ?? [], offered ?? []), [jobs, offered]);
}
