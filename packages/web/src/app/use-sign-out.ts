import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';

/** Ends the session of this device. */
export function useSignOut() {
  const { leader } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => leader.signOut(),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.session }),
  });
}
