/** A difference that the travel of messages and small errors of clocks may have made. */
const clockToleranceMs = 10_000;

/** Whether a clock that was ahead has made a time: nothing can be measured later than now. */
export const isInFuture = (atMs: number, nowMs: number): boolean => atMs - nowMs > clockToleranceMs;
