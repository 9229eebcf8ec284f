import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';

/** Files may be copied to the folder at any time, and the live stream does not announce them. */
const filesPollMs = 30_000;

/** The saved profiles. */
export function useProfiles() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.profiles,
    queryFn: ({ signal }) => leader.listExperimentProfiles({ signal }),
    staleTime: 0,
    refetchInterval: filesPollMs,
  });
}

/** The profiles to start from; they are part of the program. */
export function useProfileLibrary() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.profileLibrary,
    queryFn: ({ signal }) => leader.listLibraryProfiles({ signal }),
  });
}

/** So many runs are shown. */
const mostRuns = 20;
/** The live stream reports changes of runs; polling makes sure of them. */
const runsPollMs = 30_000;

/** The newest runs in all experiments. */
export function useNewestRuns() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.newestProfileRuns,
    queryFn: ({ signal }) => leader.listAllProfileRuns({ query: { limit: mostRuns }, signal }),
    staleTime: 0,
    refetchInterval: runsPollMs,
  });
}
