import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useSession } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';

const EntrancePage = lazy(() => import('./entrance-page.tsx'));

/** Shows the web UI to callers that the leader knows, and the sign-in to others. */
export function SignInGate({ children }: { readonly children: ReactNode }) {
  const { live } = useServices();
  const kind = useSession()?.kind;
  useEffect(() => {
    if (kind !== 'anonymous') return;
    live.suspend();
    return () => live.resume();
  }, [kind, live]);
  if (kind !== 'anonymous') return children;
  return (
    <Suspense fallback={null}>
      <EntrancePage />
    </Suspense>
  );
}
