import type { LiveJob, UnitStatus } from '@lcs/contract';
import { jobOfSource, roughSpanText } from '@lcs/domain';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';
import type { LatestReading } from '../latest/latest-store.ts';
import { isInFuture } from '../time/future.ts';
import { clockText } from '../time/moment-text.ts';

/**
 * The age in milliseconds from which a value of a source counts as old. Temperature is measured at least every 225 s, when
 * the heater is off; a volume is calculated when liquid moves and is valid until then.
 */
export function oldAfterMs(source: string): number {
  if (source === 'liquid_volume') return Number.POSITIVE_INFINITY;
  return source === 'temperature' ? 300_000 : 120_000;
}

/** Whether the job that measures a quantity runs; a quantity without such a job is true until it changes. */
export function isMeasured(source: string, jobs: readonly LiveJob[]): boolean {
  const measuring = jobOfSource(source);
  return measuring === undefined || jobs.some((job) => job.job_name === measuring && isRunning(jobPhase(job)));
}

/** Why the time of a reading means that it is not current; '': it is current. */
export function ageNote(source: string, reading: Pick<LatestReading, 'xMs'> | undefined, nowMs: number): string {
  if (reading === undefined) return '';
  if (isInFuture(reading.xMs, nowMs)) return 'time in the future';
  const ageMs = nowMs - reading.xMs;
  return ageMs > oldAfterMs(source) ? `${roughSpanText(ageMs)} ago` : '';
}

/** Of when the values of a unit are that does not answer; null: it answers, as far as is known. */
export function lastKnownText(status: Pick<UnitStatus, 'liveness' | 'last_heard_at'> | undefined): string | null {
  if (status === undefined || status.liveness === 'online') return null;
  return status.last_heard_at === null
    ? 'never connected'
    : `last known ${clockText(Date.parse(status.last_heard_at))}`;
}
