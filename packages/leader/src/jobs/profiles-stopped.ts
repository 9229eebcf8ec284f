import { StoppedJobs, type UnitOutcome } from '@lcs/contract';
import { valueIn } from '../fleet/outcome.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** Who was asked to stop profiles. A leader that is no worker was asked for nothing else. */
export type ProfilesAsked = { readonly leader: string; readonly isWorker: boolean };

const profileJob = 'experiment_profile';

/** Names the profiles that were stopped beside the outcomes of the workers. A leader that is none shows only if it failed. */
export function withProfilesStopped(outcomes: Outcomes, { leader, isWorker }: ProfilesAsked) {
  const { [leader]: own, ...others } = outcomes;
  return {
    ...(own && (isWorker || !own.ok) ? { [leader]: own } : {}),
    ...others,
    profiles_stopped: (valueIn(own, StoppedJobs)?.stopped ?? []).filter(({ job_name }) => job_name === profileJob),
  };
}
