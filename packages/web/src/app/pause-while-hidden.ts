import type { LiveConnection } from '../live/live-connection.ts';
import type { PageClock } from '../time/page-clock.ts';

/** Browsers keep only six connections to one host for all their pages: forgotten tabs give theirs back. */
const restAfterMs = 60_000;

/** Lets the live stream rest while the page is out of sight; wakes it when the page is seen or the network returns. */
export function pauseWhileHidden(live: LiveConnection, clock: PageClock): void {
  let cancelRest: (() => void) | undefined;
  document.addEventListener('visibilitychange', () => {
    cancelRest?.();
    if (document.hidden) cancelRest = clock.after(restAfterMs, live.rest);
    else live.wake();
  });
  window.addEventListener('online', live.wake);
}
