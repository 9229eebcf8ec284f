import type { PageClock } from '../time/page-clock.ts';

/** Limits how often a chart is drawn. */
export interface DrawThrottle {
  request(): void;
  stop(): void;
}

export function createDrawThrottle(clock: PageClock, pauseMs: number, draw: () => void): DrawThrottle {
  let cancel: (() => void) | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    request: () => {
      if (cancel) return;
      cancel = clock.after(Math.max(0, drawnAt + pauseMs - clock.now()), () => {
        cancel = undefined;
        drawnAt = clock.now();
        draw();
      });
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}
