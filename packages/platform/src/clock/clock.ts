/** Stops a timer. Calling it twice, or after the timer has fired, does nothing. */
export type Cancel = () => void;

/**
 * Where time comes from. A node has two: `clock` (sampling, automations, time stamps, retention, alert rules), which is
 * virtual in tests, and `wire` (sockets, long polls, keep-alive, fan-out time-outs), which is always real.
 * `docs/interfaces/clocks.md` lists which timer uses which.
 */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00Z. May step when the host's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start; never steps back. For durations. */
  monotonic(): number;
  /** Runs `action` once after `delayMs`. */
  after(delayMs: number, action: () => void): Cancel;
  /** Runs `action` every `intervalMs`, first after one interval. */
  every(intervalMs: number, action: () => void): Cancel;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Keeps virtual time from advancing until the returned function is called (no effect on the real clock). */
  hold(reason: string): () => void;
}

/** A time (milliseconds since 1970 UTC) in the API's form: ISO-8601 UTC with milliseconds and Z. */
export const toTimestamp = (moment: number): string => new Date(moment).toISOString();
