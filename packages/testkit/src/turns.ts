import { setTimeout as later } from 'node:timers/promises';

/** What happens on this thread needs only its turn. */
export const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A client that asks so seldom has waited for a while. */
const longPauseMs = 800;
const pauseMs = 4;

/**
 * The pauses of tests that wait for a task, in place of those of `delayMs` that a client makes. Most tasks end within a few
 * turns; the others are at work in a thread or process, and asking without a pause would take the processor from them.
 */
export const shortPause = (delayMs: number): Promise<void> =>
  delayMs < longPauseMs ? turnOfEventLoop() : later(pauseMs);
