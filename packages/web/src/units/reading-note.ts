import type { LiveJob, UnitStatus } from '@lcs/contract';
import { dosingAutomationJob, jobOfSource, mostGrowthRateSd, roughSpanText } from '@lcs/domain';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';
import type { LatestReading } from '../latest/latest-store.ts';
import { isInFuture } from '../time/future.ts';
import { momentText } from '../time/moment-text.ts';
import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';

/**
 * The age in milliseconds from which a value of a source counts as old: twice the longest usual interval. Temperature is measured at
 * least every 225 s, when the heater is off; a volume is calculated when liquid moves and is valid until then.
 */
export function oldAfterMs(source: string): number {
  if (source === 'liquid_volume') return Number.POSITIVE_INFINITY;
  return source === 'temperature' ? 450_000 : 120_000;
}

/** Whether the job that measures a quantity runs; a quantity without such a job is true until it changes. */
export function isMeasured(source: string, jobs: readonly LiveJob[]): boolean {
  const measuring = jobOfSource(source);
  return measuring === undefined || jobs.some((job) => job.job_name === measuring && isRunning(jobPhase(job)));
}

/** Why the time of a reading means that it is not current; '': it is current. */
function ageNote(source: string, { xMs }: Pick<LatestReading, 'xMs'>, nowMs: number): string {
  if (isInFuture(xMs, nowMs)) return startWords.timeInFuture;
  return nowMs - xMs > oldAfterMs(source) ? commonWords.lastKnownInline(momentText(xMs, nowMs)) : '';
}

/** What decides whether a value is shown as that of now. */
interface ShownValue {
  readonly source: string;
  readonly reading: Pick<LatestReading, 'xMs'> | undefined;
  /** The jobs of the unit in the experiment; undefined: not known yet. */
  readonly jobs: readonly LiveJob[] | undefined;
  /** When unit or leader answered last, if one of them is away; '': both answer. */
  readonly knownAt: string;
}

/**
 * The age of a present value that is older than usual: `4 min ago`; '': it is not, or its value is true until something happens.
 * "data 1 s old" is about the newest value of a unit.
 */
export function ownAge(source: string, { xMs }: Pick<LatestReading, 'xMs'>, nowMs: number): string {
  const ageMs = nowMs - xMs;
  const oldMs = oldAfterMs(source);
  return ageMs <= oldMs / 2 || ageMs > oldMs ? '' : commonWords.ago(roughSpanText(ageMs));
}

/** Why a value may not be that of now; '': it is. All places that show values use this rule. */
export function oldNote({ source, reading, jobs, knownAt }: ShownValue, nowMs: number): string {
  if (reading === undefined) return '';
  if (knownAt !== '') return knownAt;
  const age = ageNote(source, reading, nowMs);
  if (jobs === undefined || isMeasured(source, jobs)) return age;
  return startWords.jobStoppedLastKnown(momentText(reading.xMs, nowMs));
}

/** What a value is measured with besides its own job. Cells that settle are not seen, and a rate without readings is a guess. */
const conditions: Readonly<Record<string, readonly { readonly job: string; readonly text: string }[]>> = {
  od: [{ job: 'stirring', text: startWords.stirringOff }],
  growth_rate: [
    { job: 'od_reading', text: startWords.odOff },
    { job: 'stirring', text: startWords.stirringOff },
  ],
};

/** Whether a value says nothing yet: a growth rate after the start of its job is still mostly noise. `readings`: the newest of its unit. */
export const isUncertain = (source: string, readings: ReadonlyMap<string, Pick<LatestReading, 'y'>>): boolean =>
  source === 'growth_rate' && (readings.get('growth_rate_sd')?.y ?? 0) > mostGrowthRateSd;

const runs = (jobs: readonly LiveJob[], name: string): boolean =>
  jobs.some((job) => job.job_name === name && isRunning(jobPhase(job)));

const offConditions = (source: string, jobs: readonly LiveJob[]) =>
  (conditions[source] ?? []).filter(({ job }) => !runs(jobs, job));

/** Whether a present value lacks what it is measured with: it is shown grey. */
export const isUnfounded = (source: string, jobs: readonly LiveJob[] | undefined): boolean =>
  jobs !== undefined && offConditions(source, jobs).length > 0;

/**
 * What makes a present value doubtful; '': nothing. A culture rarely shrinks while it is dosed: a negative rate then is more often an error
 * of the volumes of the doses, 10 % of which are 0.3 per hour at 3 volumes an hour.
 */
export function doubtOf(source: string, jobs: readonly LiveJob[] | undefined, value?: number): string {
  if (jobs === undefined) return '';
  const off = offConditions(source, jobs).map(({ text }) => text);
  const isNegative = source === 'growth_rate' && value !== undefined && value < 0;
  const diluted = isNegative && runs(jobs, dosingAutomationJob.name) ? [startWords.negativeWhileDosing] : [];
  return [...off, ...diluted].join(', ');
}

/** Of when the values of a unit are that does not answer; null: it answers, as far as is known. */
export function lastKnownText(
  status: Pick<UnitStatus, 'liveness' | 'last_heard_at'> | undefined,
  nowMs: number,
): string | null {
  if (status === undefined || status.liveness === 'online') return null;
  return status.last_heard_at === null
    ? commonWords.neverConnected
    : commonWords.lastKnownInline(momentText(Date.parse(status.last_heard_at), nowMs));
}
