import { type Clock, realClock } from '@lcs/platform';

/** A real clock that can be advanced, for rate limits. */
export function advanceableClock() {
  const real = realClock();
  let aheadMs = 0;
  const clock: Clock = {
    now: () => real.now() + aheadMs,
    monotonic: () => real.monotonic() + aheadMs,
    after: (delayMs, action) => real.after(delayMs, action),
    every: (intervalMs, action) => real.every(intervalMs, action),
    sleep: (delayMs, signal) => real.sleep(delayMs, signal),
    hold: (reason) => real.hold(reason),
  };
  return {
    clock,
    pass: (ms: number) => {
      aheadMs += ms;
    },
  };
}
