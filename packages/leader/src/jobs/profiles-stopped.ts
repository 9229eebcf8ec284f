import { profileJobName, StoppedJobs, type UnitOutcome } from '@lcs/contract';
import { valueIn } from '../fleet/outcome.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** The targets of a stop of profiles. A leader that is not a worker receives no other request. */
export type ProfilesAsked = { readonly leader: string; readonly isWorker: boolean };

/** Adds the stopped profiles to the outcomes of the workers. A leader that is not a worker is listed only if it failed. */
export function withProfilesStopped(outcomes: Outcomes, { leader, isWorker }: ProfilesAsked) {
  const { [leader]: own, ...others } = outcomes;
  return {
    ...(own && (isWorker || !own.ok) ? { [leader]: own } : {}),
    ...others,
    profiles_stopped: (valueIn(own, StoppedJobs)?.stopped ?? []).filter(({ job_name }) => job_name === profileJobName),
  };
}
