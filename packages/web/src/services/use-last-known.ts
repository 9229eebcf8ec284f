import { lastKnownAt } from '../live/connection-state.ts';
import { clockText } from '../time/moment-text.ts';
import { useConnection } from './use-connection.ts';
import { useTicking } from './use-ticking.ts';

/** The time of day of what is shown, if the leader does not answer any more; `null`: what is shown is of now. */
export function useLastKnown(): string | null {
  const state = useConnection();
  const text = useTicking((nowMs) => {
    const ms = lastKnownAt(state, nowMs);
    return ms === null ? '' : clockText(ms);
  });
  return text === '' ? null : text;
}
