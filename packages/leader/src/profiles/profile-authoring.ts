import { ApiError, type Handlers, type profileAuthoringRoutes } from '@lcs/contract';
import { namedUnits, type Profile, type ProfileUnits, profilePlan } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import type { LeaderContext } from '../core/leader-context.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { expectValid } from './expect-profile.ts';

type Database = LeaderContext['database']['read'];

/** The units of an experiment to which a profile applies. @throws ApiError profile_experiment_unknown */
async function unitsOfExperiment(database: Database, experiment: string, profile: Profile): Promise<ProfileUnits> {
  const key = await experimentKey(database, experiment).executeTakeFirst();
  if (key === undefined) throw new ApiError('profile_experiment_unknown', { experiment });
  const workers = await workersOfExperiment(database, experiment).execute();
  return {
    common: workers.filter(({ is_active }) => is_active === 1).map(({ reactor_unit }) => reactor_unit),
    own: workers.map(({ reactor_unit }) => reactor_unit).filter((unit) => Object.hasOwn(profile.reactors, unit)),
  };
}

interface ProfileAuthoringOptions {
  readonly database: Database;
  readonly texts: TextReader;
}

/** What helps people who write a profile. */
export function profileAuthoringHandlers({
  database,
  texts,
}: ProfileAuthoringOptions): Handlers<typeof profileAuthoringRoutes> {
  return {
    planExperimentProfile: async ({ body: { body: text, experiment } }) => {
      const valid = expectValid(await texts.read('profile', text));
      const units =
        experiment === undefined
          ? namedUnits(valid.profile)
          : await unitsOfExperiment(database, experiment, valid.profile);
      return { status: 200, body: profilePlan(valid, units) };
    },
    formatExperimentProfile: async ({ body: { body: text } }) => {
      const formatted = await texts.read('formattedProfile', text);
      const body = formatted.is === 'formatted' ? formatted.text : expectValid(formatted.parsed) && text;
      return { status: 200, body: { body, changed: body !== text } };
    },
  };
}
