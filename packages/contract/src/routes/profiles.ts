import { Type } from 'typebox';
import { closed, HistoryQuery } from '../resources/common.ts';
import {
  ExperimentProfileEntry,
  ExperimentProfileText,
  LibraryProfile,
  NewExperimentProfile,
  ProfileChecked,
  ProfileRun,
  ProfileRunAction,
  ProfileRunDetails,
  ProfileSaved,
  RunningProfile,
  WaitingQuery,
} from '../resources/profile.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { acknowledged, ok, plainText } from './answers.ts';

const base = { tag: 'Experiment profiles', origin: 'specification' } as const satisfies Partial<RouteDeclaration>;
const reading = { ...base, method: 'GET', permission: 'profiles.read' } as const satisfies Partial<RouteDeclaration>;
const writing = {
  ...base,
  permission: 'profiles.write',
  cache: 'no-store',
} as const satisfies Partial<RouteDeclaration>;

const checks =
  'Checked in this order: YAML and shape, meaning, file name, whether there is such a file. A file with warnings is saved; the answer contains them. The replaced text is stored in the history of the folder, the newest 1,000 of each name.';
const ifMatch = 'With `If-Match` only when the file still has the `ETag`.';

const list = {
  ...reading,
  summary: 'All profiles, the one changed last first',
  description: 'An invalid file is listed with `parse_error`, so that it can be repaired.',
  responses: ok(Type.Array(ExperimentProfileEntry)),
  errors: ['profiles_unreadable'],
  cache: 5,
} as const satisfies Partial<RouteDeclaration>;

const create = {
  ...writing,
  method: 'POST',
  summary: 'Save a new profile',
  description: checks,
  body: NewExperimentProfile,
  responses: ok(ProfileSaved),
  errors: ['profile_unreadable', 'profile_invalid', 'profile_name_invalid', 'profile_exists', 'profiles_unreadable'],
} as const satisfies Partial<RouteDeclaration>;

const read = {
  ...reading,
  summary: 'The text of a profile',
  responses: plainText,
  errors: ['profile_not_found', 'profiles_unreadable'],
  cache: 'no-cache',
} as const satisfies Partial<RouteDeclaration>;

const saveErrors = [
  'profile_unreadable',
  'profile_invalid',
  'profile_name_invalid',
  'profile_not_found',
  'profile_changed',
  'profiles_unreadable',
] as const;

const save = {
  ...writing,
  method: 'PATCH',
  summary: 'Replace the text of a profile',
  description: `${checks} ${ifMatch}`,
  responses: ok(ProfileSaved),
  errors: saveErrors,
} as const satisfies Partial<RouteDeclaration>;

const remove = {
  ...writing,
  method: 'DELETE',
  summary: 'Delete a profile',
  description: `Its text stays in the history of the folder. ${ifMatch}`,
  responses: acknowledged,
  errors: ['profile_not_found', 'profile_changed', 'profiles_unreadable'],
} as const satisfies Partial<RouteDeclaration>;

const running = {
  ...reading,
  summary: 'The profiles that run in an experiment, oldest first',
  responses: ok(Type.Array(RunningProfile)),
  errors: [],
  cache: 'no-store',
} as const satisfies Partial<RouteDeclaration>;

const profiles = '/api/experiment_profiles';
const runs = '/api/experiments/{experiment}/experiment_profiles/runs';
const contributed = '/api/contrib/experiment_profiles';

export const profileRoutes = routes({
  listExperimentProfiles: { ...list, path: profiles },
  createExperimentProfile: { ...create, path: profiles },
  getExperimentProfile: { ...read, path: `${profiles}/{filename}` },
  saveExperimentProfile: {
    ...save,
    path: `${profiles}/{filename}`,
    query: closed({ create: Type.Optional(Type.Boolean({ description: 'Create the file if it does not exist' })) }),
    body: ExperimentProfileText,
  },
  deleteExperimentProfile: { ...remove, path: `${profiles}/{filename}` },
  checkExperimentProfile: {
    ...base,
    method: 'POST',
    path: `${profiles}/validate`,
    permission: 'profiles.read',
    summary: 'Check the text of a profile without saving it',
    body: ExperimentProfileText,
    responses: ok(ProfileChecked),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listLibraryProfiles: {
    ...reading,
    path: `${profiles}/library`,
    summary: 'Documented profiles to start from',
    description:
      'They are part of the program, the same on each leader of this version. Copy one, adapt it, and save it.',
    responses: ok(Type.Array(LibraryProfile)),
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
  getProfileSchema: {
    ...reading,
    path: `${profiles}/schema`,
    summary: 'JSON Schema of profiles, for editors',
    description:
      'Draft 2020-12. It describes the structure: keys, types of values and actions; `POST /api/experiment_profiles/validate` checks the meaning, too.',
    responses: ok(Type.Record(Type.String(), Type.Unknown())),
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
  listAllProfileRuns: {
    ...reading,
    path: `${profiles}/runs`,
    summary: 'The runs of profiles in all experiments, newest first',
    query: HistoryQuery,
    responses: ok(Type.Array(ProfileRun)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listRecentProfileRuns: {
    ...reading,
    path: '/api/experiments/{experiment}/experiment_profiles/recent',
    summary: 'The runs of profiles in an experiment, newest first',
    description: 'Of each experiment, the newest 1,000 runs that have ended are kept.',
    query: HistoryQuery,
    responses: ok(Type.Array(ProfileRun)),
    errors: [],
    cache: 5,
  },
  getProfileRun: {
    ...reading,
    path: `${runs}/{run_id}`,
    summary: 'A run of a profile: its text, its units, and what is next',
    description: '`waiting_per_unit=1` answers with the next action of each unit, which is enough for an overview.',
    query: WaitingQuery,
    responses: ok(ProfileRunDetails),
    errors: ['profile_run_not_found'],
    cache: 'no-store',
    origin: 'extension',
  },
  listProfileRunActions: {
    ...reading,
    path: `${runs}/{run_id}/actions`,
    summary: 'What a run has done, newest first',
    description: 'Runs that versions before 26.12 have begun have no actions of that time.',
    query: HistoryQuery,
    responses: ok(Type.Array(ProfileRunAction)),
    errors: ['profile_run_not_found'],
    cache: 'no-store',
    origin: 'extension',
  },
  listRunningProfiles: { ...running, path: '/api/experiments/{experiment}/experiment_profiles/running' },
  listContributedProfiles: { ...list, path: contributed, deprecated: true },
  createContributedProfile: { ...create, path: contributed, deprecated: true },
  saveContributedProfile: { ...save, path: contributed, body: NewExperimentProfile, deprecated: true },
  getContributedProfile: { ...read, path: `${contributed}/{filename}`, deprecated: true },
  deleteContributedProfile: { ...remove, path: `${contributed}/{filename}`, deprecated: true },
  listRunningProfilesOfExperiment: {
    ...running,
    path: `${profiles}/running/experiments/{experiment}`,
    deprecated: true,
  },
});
