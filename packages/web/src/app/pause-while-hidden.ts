import type { LiveConnection } from '../live/live-connection.ts';
import type { PageClock } from '../time/page-clock.ts';

/** Browsers allow only six connections to one host for all tabs: hidden tabs close theirs. */
const suspendAfterMs = 60_000;

/** Suspends the live stream while the web UI is hidden; resumes it when it is visible or the network returns. */
export function pauseWhileHidden(live: LiveConnection, clock: PageClock): void {
  let cancelSuspension: (() => void) | undefined;
  document.addEventListener('visibilitychange', () => {
    cancelSuspension?.();
    if (document.hidden) cancelSuspension = clock.after(suspendAfterMs, live.suspend);
    else live.resume();
  });
  window.addEventListener('online', live.resume);
}
