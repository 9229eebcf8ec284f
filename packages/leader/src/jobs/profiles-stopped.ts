import type { StoppedJobs, UnitOutcome } from '@lcs/contract';

type Outcomes = Readonly<Record<string, UnitOutcome>>;
type StoppedJob = StoppedJobs['stopped'][number];

/** Who was asked to stop profiles. A leader that is no worker was asked for nothing else. */
export type ProfilesAsked = { readonly leader: string; readonly isWorker: boolean };

const profileJob = 'experiment_profile';

const isStoppedJob = (value: unknown): value is StoppedJob =>
  typeof value === 'object' &&
  value !== null &&
  'job_name' in value &&
  typeof value.job_name === 'string' &&
  'job_id' in value &&
  Number.isInteger(value.job_id);

/** The jobs that a unit says it has stopped. */
function stoppedBy(outcome: UnitOutcome | undefined): readonly StoppedJob[] {
  const value = outcome?.ok ? outcome.value : undefined;
  const stopped = typeof value === 'object' && value !== null && 'stopped' in value ? value.stopped : [];
  return Array.isArray(stopped) ? stopped.filter(isStoppedJob) : [];
}

/** Names the profiles that were stopped beside the outcomes of the workers. A leader that is none shows only if it failed. */
export function withProfilesStopped(outcomes: Outcomes, { leader, isWorker }: ProfilesAsked) {
  const { [leader]: own, ...others } = outcomes;
  return {
    ...(own && (isWorker || !own.ok) ? { [leader]: own } : {}),
    ...others,
    profiles_stopped: stoppedBy(own).filter(({ job_name }) => job_name === profileJob),
  };
}
