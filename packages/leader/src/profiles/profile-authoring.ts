import { ApiError, type Handlers, type PreflightRequest, type profileAuthoringRoutes } from '@lcs/contract';
import { profilePlan } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import type { LeaderContext } from '../core/leader-context.ts';
import { expectValid } from './expect-profile.ts';
import type { ProfilePreflight } from './preflight/profile-preflight.ts';
import type { ProfileFiles } from './profile-files.ts';
import { unitsOfProfile } from './units-of-profile.ts';

interface ProfileAuthoringOptions {
  readonly database: LeaderContext['database']['read'];
  readonly files: Pick<ProfileFiles, 'named'>;
  readonly texts: TextReader;
  readonly preflight: Pick<ProfilePreflight, 'check'>;
}

/** The text to check. @throws ApiError profile_not_given, profile_not_found, profiles_unreadable */
async function textOf(files: Pick<ProfileFiles, 'named'>, { filename, body }: PreflightRequest): Promise<string> {
  if (filename !== undefined && body === undefined) return (await files.named(filename)).text;
  if (filename === undefined && body !== undefined) return body;
  throw new ApiError('profile_not_given', { cause: filename === undefined ? 'It has none of them.' : 'It has both.' });
}

/** What helps people who write a profile. */
export function profileAuthoringHandlers({
  database,
  files,
  texts,
  preflight,
}: ProfileAuthoringOptions): Omit<Handlers<typeof profileAuthoringRoutes>, 'simulateExperimentProfile'> {
  return {
    planExperimentProfile: async ({ body: { body: text, experiment } }) => {
      const valid = expectValid(await texts.read('profile', text));
      const units = await unitsOfProfile(database, experiment, valid.profile);
      return { status: 200, body: profilePlan(valid, units) };
    },
    preflightExperimentProfile: async ({ params: { experiment }, body }) => {
      const text = await textOf(files, body);
      const valid = expectValid(await texts.read('profile', text));
      const units = await unitsOfProfile(database, experiment, valid.profile, body.units);
      return { status: 200, body: await preflight.check(valid, units, experiment) };
    },
    formatExperimentProfile: async ({ body: { body: text } }) => {
      const formatted = await texts.read('formattedProfile', text);
      const body = formatted.is === 'formatted' ? formatted.text : expectValid(formatted.parsed) && text;
      return { status: 200, body: { body, changed: body !== text } };
    },
  };
}
