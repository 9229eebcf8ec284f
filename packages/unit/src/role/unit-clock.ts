import type { Clock } from '@lcs/platform';
import type { UnitTime } from '../time/unit-time.ts';

/** The clock that jobs sample by: it goes like the node's own, and its wall time is the one that records are stamped with. */
export const unitClock = (clock: Clock, time: UnitTime): Clock => ({
  now: () => time.now(),
  monotonic: () => clock.monotonic(),
  sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  after: (delayMs, action) => clock.after(delayMs, action),
  every: (intervalMs, action) => clock.every(intervalMs, action),
  hold: (reason) => clock.hold(reason),
});
