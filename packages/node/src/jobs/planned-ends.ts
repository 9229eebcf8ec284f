import { ApiError, hasShape, type Json, Timestamp } from '@lcs/contract';
import { type Cancel, type Clock, toTimestamp } from '@lcs/platform';
import type { InterruptedJob } from './job-registry.ts';

/** The planned end of a job, among its settings; null: cleared. */
export const endsAtSetting = '$ends_at';

/** The wall time may be corrected meanwhile: it is compared again at least this often. */
const compareMs = 30_000;

/** Milliseconds since 1970; undefined: none. @throws ApiError `job_setting_invalid` */
export function plannedEnd(job: string, value: Json): number | undefined {
  if (value === null) return undefined;
  const atMs = hasShape(Timestamp, value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  const cause = 'It must be null, or a time such as 2026-01-31T12:00:00.000Z.';
  throw new ApiError('job_setting_invalid', { job, setting: endsAtSetting, cause });
}

/** The planned end of an interrupted job: the newest value, else that of its start. Null: none. */
export function interruptedEnd({ settings, body }: Pick<InterruptedJob, 'settings' | 'body'>): string | null {
  const changed = Object.hasOwn(settings, endsAtSetting) ? settings[endsAtSetting] : undefined;
  const value = changed === undefined ? body.ends_at : changed;
  return hasShape(Timestamp, value) ? value : null;
}

/** Ends jobs at their planned times, without the leader. */
export class PlannedEnds {
  readonly #clock: Clock;
  readonly #end: (jobId: number) => void;
  readonly #planned = new Map<number, { readonly atMs: number; readonly cancel: Cancel }>();

  /** @param clock its wall time decides */
  constructor(clock: Clock, end: (jobId: number) => void) {
    this.#clock = clock;
    this.#end = end;
  }

  /** ISO-8601; undefined: none. */
  of(jobId: number): string | undefined {
    const planned = this.#planned.get(jobId);
    return planned && toTimestamp(planned.atMs);
  }

  /** Undefined: it has no planned end any more. */
  set(jobId: number, atMs: number | undefined): void {
    this.#planned.get(jobId)?.cancel();
    this.#planned.delete(jobId);
    if (atMs === undefined) return;
    const leftMs = Math.max(0, atMs - this.#clock.now());
    const cancel = this.#clock.after(Math.min(leftMs, compareMs), () => {
      if (this.#clock.now() < atMs) return this.set(jobId, atMs);
      this.#planned.delete(jobId);
      this.#end(jobId);
    });
    this.#planned.set(jobId, { atMs, cancel });
  }

  clear(): void {
    for (const jobId of [...this.#planned.keys()]) this.set(jobId, undefined);
  }
}
