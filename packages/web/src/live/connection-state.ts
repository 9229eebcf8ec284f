/** The connection of the web UI to its leader. Times are milliseconds of the device's clock. */
export type ConnectionState =
  /** The leader has not answered yet. */
  | { readonly phase: 'connecting'; readonly since: number }
  | { readonly phase: 'live'; readonly since: number; readonly receivedAt: number }
  /** The stream broke; the web UI retries. */
  | { readonly phase: 'reconnecting'; readonly since: number; readonly receivedAt: number | null }
  /** The web UI is hidden and has closed its connection: a browser allows only few per leader. */
  | { readonly phase: 'suspended'; readonly since: number; readonly receivedAt: number | null };

export type ConnectionPhase = ConnectionState['phase'];

/** What can happen to a connection. */
export type ConnectionEvent =
  | 'opened'
  /** An event of the stream, or the answer to a probe while the stream is open. */
  | 'received'
  /** A request was answered. */
  | 'answered'
  | 'broke'
  | 'suspended';

const receivedAtOf = (state: ConnectionState): number | null =>
  state.phase === 'connecting' ? null : state.receivedAt;

/** The table of transitions. */
export function nextConnectionState(state: ConnectionState, event: ConnectionEvent, now: number): ConnectionState {
  switch (event) {
    case 'opened':
      return { phase: 'live', since: now, receivedAt: now };
    case 'received':
      // A response that was on its way when the stream broke does not restore it.
      return state.phase === 'live' ? { ...state, receivedAt: now } : state;
    case 'answered':
      return state.phase === 'connecting' ? state : { ...state, receivedAt: now };
    case 'broke':
      if (state.phase === 'reconnecting') return state;
      return { phase: 'reconnecting', since: now, receivedAt: receivedAtOf(state) };
    case 'suspended':
      return { phase: 'suspended', since: now, receivedAt: receivedAtOf(state) };
  }
}

/** The time since the last response of the leader, in milliseconds; `null`: none yet. */
export function dataAgeMs(state: ConnectionState, now: number): number | null {
  const receivedAt = receivedAtOf(state);
  return receivedAt === null ? null : Math.max(0, now - receivedAt);
}

/** For this time after the last response the shown data count as current. */
const currentMs = 4_000;
/** A stream may be broken for this time: the browser restores most at once. */
const brokenMs = 3_000;

/** The time of the leader's last response, if the shown data are only the last known; `null`: they are current. */
export function lastKnownAt(state: ConnectionState, now: number): number | null {
  const receivedAt = receivedAtOf(state);
  if (receivedAt === null) return null;
  const isBroken = state.phase !== 'live' && now - state.since >= brokenMs;
  return isBroken || now - receivedAt >= currentMs ? receivedAt : null;
}

const firstRetryMs = 1000;
const longestRetryMs = 15_000;

/** Pause before the next try after `failures` failures in a row; `chance` (0 to 1) spreads the retries of several browsers. */
export function retryDelayMs(failures: number, chance: number): number {
  const full = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * chance;
}
