import { createListeners } from '../live/listeners.ts';
import type { PageClock } from '../time/page-clock.ts';
import type { TimeRange } from './time-range.ts';

/**
 * The zoomed window of all charts of a page while a person moves it. Charts draw each change at once, from what they have;
 * the address and requests follow when the movement has paused.
 */
export interface SharedWindow {
  /** `null`: not zoomed. */
  current(): TimeRange | null;
  move(window: TimeRange | null): void;
  /** A pointer holds it: the movement goes on, even without a move, until it is released. */
  hold(isHeld: boolean): void;
  /** Whether a person is moving it: charts then draw less. */
  isMoving(): boolean;
  /** Takes the window of the address, unless a person is moving it. */
  adopt(window: TimeRange | null): void;
  /** Calls `listener` at each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  stop(): void;
}

/** A movement has ended when nothing has moved for so long. */
export const settleMs = 200;

const isSame = (one: TimeRange | null, other: TimeRange | null): boolean =>
  one?.fromMs === other?.fromMs && one?.toMs === other?.toMs;

export function createSharedWindow(
  clock: Pick<PageClock, 'after'>,
  onSettled: (window: TimeRange | null) => void,
): SharedWindow {
  const listeners = createListeners<void>();
  let shown: TimeRange | null = null;
  let cancel: (() => void) | undefined;
  const show = (window: TimeRange | null): void => {
    if (isSame(shown, window)) return;
    shown = window;
    listeners.notify();
  };
  let isHeld = false;
  const settle = (): void => {
    cancel?.();
    cancel = clock.after(settleMs, () => {
      cancel = undefined;
      onSettled(shown);
      listeners.notify();
    });
  };
  return {
    current: () => shown,
    move: (window) => {
      show(window);
      if (!isHeld) settle();
    },
    hold: (next) => {
      if (next === isHeld) return;
      isHeld = next;
      cancel?.();
      cancel = undefined;
      if (!isHeld) settle();
    },
    isMoving: () => isHeld || cancel !== undefined,
    adopt: (window) => {
      if (!isHeld && cancel === undefined) show(window);
    },
    subscribe: listeners.add,
    stop: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}
