import { elapsedText } from '@lcs/domain';
import { useCallback, useSyncExternalStore } from 'react';
import { lastKnownAt } from '../live/connection-state.ts';
import { fieldZone, momentText } from '../time/moment-text.ts';
import { commonWords } from '../words/common.ts';
import { useLeaderIdentity } from './queries.ts';
import { useServices } from './services.tsx';
import { useConnection } from './use-connection.ts';

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

/** Now, by the clock of the leader: the clock of the device that shows the page may be wrong. */
export function useLeaderNow(): () => number {
  const { clock } = useServices();
  const aheadMs = useLeaderIdentity()?.aheadMs ?? 0;
  return useCallback(() => clock.now() + aheadMs, [clock, aheadMs]);
}

/** The zone in which the value of a date-time input is read, such as `UTC+1`. */
export const useFieldZone = (value: string): string => useTicking((nowMs) => fieldZone(value, nowMs));

/** The time of day that the shown data are of, while the leader does not answer; `null`: the data are current. */
export function useLastKnown(): string | null {
  const state = useConnection();
  const text = useTicking((nowMs) => {
    const ms = lastKnownAt(state, nowMs);
    return ms === null ? '' : momentText(ms, nowMs);
  });
  return text === '' ? null : text;
}

/** Adds the time to what says how something is now, while the leader does not answer: `Running at 12:04`. */
export function useDated(): (text: string) => string {
  const lastKnown = useLastKnown();
  return (text) => (lastKnown === null ? text : commonWords.textAtTime(text, lastKnown));
}
