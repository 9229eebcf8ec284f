import { elapsedText } from '@lcs/domain';
import { useSyncExternalStore } from 'react';
import { useLeaderIdentity } from './queries.ts';
import { useServices } from './services.tsx';

/** A text that depends on the time; the caller is drawn again only when the text changes. */
export function useTicking(textAt: (nowMs: number) => string): string {
  const { clock } = useServices();
  return useSyncExternalStore(clock.everySecond, () => textAt(clock.now()));
}

/** Time since a moment of the leader's clock, which may differ from the clock of the device that shows the page. */
export function useElapsed(sinceMs: number): string {
  const leader = useLeaderIdentity();
  const aheadMs = leader?.aheadMs ?? 0;
  return useTicking((nowMs) => elapsedText(nowMs + aheadMs - sinceMs));
}
