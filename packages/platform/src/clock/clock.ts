import { dayMs } from '@lcs/contract/durations';

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

const firstDay = 0;
/** 9999-12-31. */
const lastDay = 2_932_896;
const twoDigits = (count: number): string => (count < 10 ? `0${count}` : String(count));
/** The date of the newest timestamp as text: jobs make several timestamps for each reading. */
let newestDay = { day: Number.NaN, text: '' };

/** A time (milliseconds since 1970 UTC) in the API's form: ISO-8601 UTC with milliseconds and Z. */
export function toTimestamp(moment: number): string {
  const day = Math.floor(moment / dayMs);
  // Outside these days the year has not four digits, or the time is not a time.
  if (!(day >= firstDay && day <= lastDay)) return new Date(moment).toISOString();
  if (day !== newestDay.day) newestDay = { day, text: new Date(day * dayMs).toISOString().slice(0, 11) };
  const ms = Math.trunc(moment) - day * dayMs;
  const [hour, minute] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const [second, milli] = [Math.floor(ms / 1000) % 60, ms % 1000];
  const thousandths = milli < 10 ? `00${milli}` : milli < 100 ? `0${milli}` : milli;
  return `${newestDay.text}${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}.${thousandths}Z`;
}
