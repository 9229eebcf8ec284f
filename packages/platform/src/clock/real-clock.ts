import { byItself } from '../acting/acting-account.ts';
import type { Cancel, Clock } from './clock.ts';
import { checkedDelay, checkedInterval } from './duration.ts';
import { sleepOn } from './sleep.ts';

/** `setTimeout` keeps its delay in 32 bits and fires at once above that (24.8 days); experiments last longer. */
const longestTimeoutMs = 2 ** 31 - 1;

const monotonic = () => performance.now();

/** Runs `action` when `monotonic()` has reached `dueMs`: never early, and however far away that is. */
function runAt(dueMs: number, action: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const remainingMs = Math.ceil(dueMs - monotonic());
    timer = setTimeout(
      () => {
        if (monotonic() < dueMs) arm();
        else byItself(action);
      },
      Math.min(Math.max(remainingMs, 0), longestTimeoutMs),
    );
  };
  arm();
  return () => clearTimeout(timer);
}

/**
 * Repeats on a fixed grid that begins at the first call, so that the rate does not drift. After a stall, missed ticks are skipped.
 */
function runEvery(intervalMs: number, action: () => void): Cancel {
  const startMs = monotonic();
  let tick = 0;
  let cancel: Cancel;
  const arm = () => {
    tick = Math.max(tick + 1, Math.floor((monotonic() - startMs) / intervalMs) + 1);
    cancel = runAt(startMs + tick * intervalMs, () => {
      arm();
      action();
    });
  };
  arm();
  return () => cancel();
}

/**
 * The host's time. Its timers keep the process running: the code that sets one cancels it on stop. Holds have no effect.
 */
export function realClock(): Clock {
  const after = (delayMs: number, action: () => void) => runAt(monotonic() + checkedDelay(delayMs), action);
  return {
    now: () => Date.now(),
    monotonic,
    after,
    every: (intervalMs, action) => runEvery(checkedInterval(intervalMs), action),
    sleep: (delayMs, signal) => sleepOn({ after }, delayMs, signal),
    hold: () => () => {},
  };
}
