/** The connection of a page to its leader. Times are milliseconds of the page's own clock. */
export type ConnectionState =
  /** The leader has not answered yet. */
  | { readonly phase: 'connecting'; readonly since: number }
  | { readonly phase: 'live'; readonly since: number; readonly heardAt: number }
  /** The stream broke; the page retries. */
  | { readonly phase: 'reconnecting'; readonly since: number; readonly heardAt: number | null }
  /** The page is hidden and has closed its connection: a browser allows only few per leader. */
  | { readonly phase: 'resting'; readonly since: number; readonly heardAt: number | null };

export type ConnectionPhase = ConnectionState['phase'];

/** What can happen to a connection. */
export type ConnectionEvent =
  | 'opened'
  /** An event of the stream, or the answer to a probe while the stream is open. */
  | 'heard'
  /** A request was answered. */
  | 'answered'
  | 'broke'
  | 'rested';

const heardAtOf = (state: ConnectionState): number | null => (state.phase === 'connecting' ? null : state.heardAt);

/** The table of transitions. */
export function nextConnectionState(state: ConnectionState, event: ConnectionEvent, now: number): ConnectionState {
  switch (event) {
    case 'opened':
      return { phase: 'live', since: now, heardAt: now };
    case 'heard':
      // An answer that was under way when the stream broke does not make it whole.
      return state.phase === 'live' ? { ...state, heardAt: now } : state;
    case 'answered':
      return state.phase === 'connecting' ? state : { ...state, heardAt: now };
    case 'broke':
      if (state.phase === 'reconnecting') return state;
      return { phase: 'reconnecting', since: now, heardAt: heardAtOf(state) };
    case 'rested':
      return { phase: 'resting', since: now, heardAt: heardAtOf(state) };
  }
}

/** The time since the last answer of the leader, in milliseconds; `null`: none yet. */
export function dataAgeMs(state: ConnectionState, now: number): number | null {
  const heardAt = heardAtOf(state);
  return heardAt === null ? null : Math.max(0, now - heardAt);
}

/** For this time after the last response the shown data count as current. */
const currentMs = 4_000;
/** A stream may be broken for this time: the browser restores most at once. */
const brokenMs = 3_000;

/** When the leader answered last, if what a page shows is only the last that is known; `null`: it is of now. */
export function lastKnownAt(state: ConnectionState, now: number): number | null {
  const heardAt = heardAtOf(state);
  if (heardAt === null) return null;
  const isBroken = state.phase !== 'live' && now - state.since >= brokenMs;
  return isBroken || now - heardAt >= currentMs ? heardAt : null;
}

const firstRetryMs = 1000;
const longestRetryMs = 15_000;

/** Pause before the next try after `failures` failures in a row; `chance` (0 to 1) spreads pages that lost the same leader. */
export function retryDelayMs(failures: number, chance: number): number {
  const full = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * chance;
}
