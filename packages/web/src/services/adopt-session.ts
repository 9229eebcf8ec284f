import type { Session } from '@lcs/contract';
import type { QueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';

/** Makes a new session the one of the web UI: what the last person has read may not be for this one. */
export async function adoptSession(cache: QueryClient, session: Session): Promise<void> {
  // The stream of the last session breaks when it ends, and the session is read again: that response may be of before, and come later.
  await cache.cancelQueries({ queryKey: queryKeys.session });
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
  cache.setQueryData(queryKeys.session, session);
}
