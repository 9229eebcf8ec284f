import { ApiError } from '@lcs/contract';
import { namedUnits, type Profile, type ProfileUnits } from '@lcs/domain';
import type { LeaderContext } from '../core/leader-context.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';

/**
 * The units of an experiment to which a profile applies; without an experiment those that it names.
 * @throws ApiError profile_experiment_unknown
 */
export async function unitsOfProfile(
  database: LeaderContext['database']['read'],
  experiment: string | undefined,
  profile: Profile,
): Promise<ProfileUnits> {
  if (experiment === undefined) return namedUnits(profile);
  const key = await experimentKey(database, experiment).executeTakeFirst();
  if (key === undefined) throw new ApiError('profile_experiment_unknown', { experiment });
  const workers = await workersOfExperiment(database, experiment).execute();
  return {
    common: workers.filter(({ is_active }) => is_active === 1).map(({ reactor_unit }) => reactor_unit),
    own: workers.map(({ reactor_unit }) => reactor_unit).filter((unit) => Object.hasOwn(profile.reactors, unit)),
  };
}
