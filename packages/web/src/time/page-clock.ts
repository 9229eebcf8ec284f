/** The clock of a page: milliseconds since 1970, one tick per second, timers. */
export interface PageClock {
  now(): number;
  /** Milliseconds since the page was opened: a clock that is set does not change them. */
  monotonic(): number;
  /** Calls `tick` about once a second until the returned function is called. */
  everySecond(tick: () => void): () => void;
  /** Calls `action` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, action: () => void): () => void;
}

/** The clock of the browser; all ticking texts share one interval, so that they change together. */
export function createPageClock(): PageClock {
  const ticks = new Set<() => void>();
  let interval: ReturnType<typeof setInterval> | undefined;
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    everySecond: (tick) => {
      ticks.add(tick);
      interval ??= setInterval(() => {
        for (const each of ticks) each();
      }, 1000);
      return () => {
        ticks.delete(tick);
        if (ticks.size > 0) return;
        clearInterval(interval);
        interval = undefined;
      };
    },
    after: (delayMs, action) => {
      const timer = setTimeout(action, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
