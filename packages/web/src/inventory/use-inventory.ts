import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

/** No event of the live stream reports a used code, or a machine that has enrolled. */
const pollMs = 3000;

/** Machines that wait for an approval; the live stream keeps them current. */
export function useJoinRequests(isWanted = true) {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.joinRequests,
    queryFn: ({ signal }) => leader.listJoinRequests({ signal }),
    enabled: isWanted,
  });
}

/** One-time codes that can be used. */
export function useEnrolmentCodes() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.enrolmentCodes,
    queryFn: ({ signal }) => leader.listEnrolmentCodes({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
}

/** Enrolled units that are not in the inventory. */
export function useNewUnits() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.newUnits,
    queryFn: async ({ signal }) => (await leader.discoverWorkers({ signal })).map(({ reactor_unit }) => reactor_unit),
    staleTime: 0,
    refetchInterval: pollMs,
  });
}

/** A change of the inventory; afterwards its lists are requested again. */
export function useInventoryChange<Sent>(change: (sent: Sent) => Promise<unknown>, onSuccess?: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    ...(onSuccess && { onSuccess }),
    // Also after a failure: another person may have done the same.
    onSettled: () =>
      Promise.all(
        [queryKeys.joinRequests, queryKeys.enrolmentCodes, queryKeys.newUnits, queryKeys.workers, queryKeys.units].map(
          (queryKey) => cache.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
