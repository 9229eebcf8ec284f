import type { Session } from '@lcs/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';

/** Makes a new session the one of the web UI. */
export function useNewSession<Sent>(begin: (sent: Sent) => Promise<Session>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: begin,
    onSuccess: (session) => {
      // What the last person has read may not be for this one.
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
      cache.setQueryData(queryKeys.session, session);
    },
  });
}
