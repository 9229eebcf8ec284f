import type { PageClock } from '../time/page-clock.ts';

/** Draws when asked to, but not more often than the eye follows. */
export interface DrawPacer {
  request(): void;
  stop(): void;
}

export function createDrawPacer(clock: PageClock, pauseMs: number, draw: () => void): DrawPacer {
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
