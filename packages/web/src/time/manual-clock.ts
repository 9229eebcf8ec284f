import type { PageClock } from './page-clock.ts';

/** A clock for tests: time passes only by `advance`. */
export interface ManualClock extends PageClock {
  advance(ms: number): void;
}

export function createManualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly dueMs: number; readonly action: () => void }>();
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((left, right) => left.dueMs - right.dueMs)[0];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    everySecond: () => () => {},
    after: (delayMs, action) => {
      const timer = { dueMs: nowMs + delayMs, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const untilMs = nowMs + ms;
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        timers.delete(timer);
        nowMs = timer.dueMs;
        timer.action();
      }
      nowMs = untilMs;
    },
  };
}
