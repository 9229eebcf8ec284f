import { ApiError } from '@lcs/contract';
import { namedUnits, type Profile, type ProfileUnits } from '@lcs/domain';
import type { LeaderContext } from '../core/leader-context.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { chosenUnits } from './profile-request.ts';

/**
 * The units of an experiment to which a profile applies; without an experiment those that it names.
 *
 * @param chosen as the option `units` of a start
 * @throws ApiError profile_experiment_unknown, job_options_invalid
 */
export async function unitsOfProfile(
  database: LeaderContext['database']['read'],
  experiment: string | undefined,
  profile: Profile,
  chosen?: string,
): Promise<ProfileUnits> {
  if (experiment === undefined) return namedUnits(profile);
  const key = await experimentKey(database, experiment).executeTakeFirst();
  if (key === undefined) throw new ApiError('profile_experiment_unknown', { experiment });
  const workers = await workersOfExperiment(database, experiment).execute();
  const members = workers.map(({ reactor_unit }) => reactor_unit);
  const isChosen = chosenUnits(chosen, members);
  const active = workers.filter(({ is_active }) => is_active === 1).map(({ reactor_unit }) => reactor_unit);
  return {
    common: active.filter(isChosen),
    own: members.filter((unit) => Object.hasOwn(profile.reactors, unit) && isChosen(unit)),
  };
}
