import { setTimeout as later } from 'node:timers/promises';

/** Work on this thread needs only turns of the event loop. */
export const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Interval of a client that has polled for a while. */
const longPauseMs = 800;
const pauseMs = 20;

/**
 * The pauses of tests that wait for a task, in place of those of `delayMs` that a client makes. Most tasks end within a few
 * turns; the others are at work in a thread or process, and polling without a pause would take the processor from them.
 */
export const shortPause = (delayMs: number): Promise<void> =>
  delayMs < longPauseMs ? turnOfEventLoop() : later(pauseMs);
