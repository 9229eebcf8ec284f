import type { Handlers, profileAuthoringRoutes } from '@lcs/contract';
import { profilePlan } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import type { LeaderContext } from '../core/leader-context.ts';
import { expectValid } from './expect-profile.ts';
import { unitsOfProfile } from './units-of-profile.ts';

interface ProfileAuthoringOptions {
  readonly database: LeaderContext['database']['read'];
  readonly texts: TextReader;
}

/** What helps people who write a profile. */
export function profileAuthoringHandlers({
  database,
  texts,
}: ProfileAuthoringOptions): Omit<Handlers<typeof profileAuthoringRoutes>, 'simulateExperimentProfile'> {
  return {
    planExperimentProfile: async ({ body: { body: text, experiment } }) => {
      const valid = expectValid(await texts.read('profile', text));
      const units = await unitsOfProfile(database, experiment, valid.profile);
      return { status: 200, body: profilePlan(valid, units) };
    },
    formatExperimentProfile: async ({ body: { body: text } }) => {
      const formatted = await texts.read('formattedProfile', text);
      const body = formatted.is === 'formatted' ? formatted.text : expectValid(formatted.parsed) && text;
      return { status: 200, body: { body, changed: body !== text } };
    },
  };
}
