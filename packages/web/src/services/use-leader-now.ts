import { useCallback } from 'react';
import { useLeaderIdentity } from './queries.ts';
import { useServices } from './services.tsx';

/** Now, by the clock of the leader: that of the device that shows the page may be wrong. */
export function useLeaderNow(): () => number {
  const { clock } = useServices();
  const aheadMs = useLeaderIdentity()?.aheadMs ?? 0;
  return useCallback(() => clock.now() + aheadMs, [clock, aheadMs]);
}
