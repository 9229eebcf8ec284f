import type { Session } from '@lcs/contract';
import { useQueryClient } from '@tanstack/react-query';
import { adoptSession } from './adopt-session.ts';
import { useMutation } from './use-mutation.ts';

/** Makes a new session the one of the web UI. */
export function useNewSession<Sent>(begin: (sent: Sent) => Promise<Session>) {
  const cache = useQueryClient();
  return useMutation({ mutationFn: begin, onSuccess: (session) => adoptSession(cache, session) });
}
