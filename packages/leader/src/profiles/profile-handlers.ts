import {
  ApiError,
  type ExperimentProfileEntry,
  type Handler,
  type Handlers,
  PreparedJson,
  profileJobName,
  type profileRoutes,
} from '@lcs/contract';
import {
  type ParsedProfile,
  placeholderProfile,
  profileLibrary,
  profileSchema,
  validateProfileFileName,
} from '@lcs/domain';
import type { JobRuntime, TextReader } from '@lcs/node';
import type { LeaderContext } from '../core/leader-context.ts';
import { expectValid, faultOf, unsupportedSentences } from './expect-profile.ts';
import type { ProfileFile, ProfileFiles } from './profile-files.ts';
import type { ProfileRunner } from './profile-runner.ts';
import { itemKeyOf, type RunRecordOptions, runActions, runDetails } from './run-record.ts';
import { newestRuns, profileRuns } from './run-store.ts';

type Routes = typeof profileRoutes;

export interface ProfileHandlersOptions {
  readonly context: LeaderContext;
  readonly files: ProfileFiles;
  readonly texts: TextReader;
  /** The jobs of this node; they exist before the first request. */
  readonly runtime: Pick<JobRuntime, 'running' | 'settingsOf'>;
  readonly record: RunRecordOptions;
  /** What runs. */
  readonly runs: Pick<ProfileRunner, 'runOf'>;
}

/** @throws ApiError profile_name_invalid */
function expectFileName(text: string): string {
  const validated = validateProfileFileName(text);
  if (!validated.ok) throw new ApiError('profile_name_invalid', { filename: text, cause: validated.cause });
  return validated.filename;
}

/** A file in the list; an empty or invalid one has a placeholder. */
function entryOf({ filename: file, fullPath: fullpath }: ProfileFile, parsed: ParsedProfile) {
  const name = file.replace(/\.ya?ml$/, '');
  const { late_actions, ...profile } = 'profile' in parsed ? parsed.profile : placeholderProfile(name);
  const experimentProfile = { ...profile, ...(late_actions !== null && { late_actions }) };
  const fault = parsed.is === 'empty' ? undefined : faultOf(parsed);
  return { experimentProfile, file, fullpath, ...(fault === undefined ? {} : { parse_error: fault }) };
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const ifMatchIn = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const ifMatch = textOf(headers['if-match']);
  return ifMatch === undefined ? {} : { ifMatch };
};

const saved = ({ diagnostics }: ParsedProfile) =>
  ({
    status: 200,
    body: { status: 'success', ...(diagnostics.length > 0 && { diagnostics: [...diagnostics] }) },
  }) as const;

/** The list of all files. */
function profileList({ files, texts }: Pick<ProfileHandlersOptions, 'files' | 'texts'>) {
  /** Cache of parsed files: parsing takes long, and most have not changed. */
  let listed: ReadonlyMap<string, { readonly etag: string; readonly json: string }> = new Map();
  const list: Handler<Routes['listExperimentProfiles']> = async () => {
    const known = listed;
    const entries: (readonly [string, { readonly etag: string; readonly json: string }])[] = [];
    for (const file of await files.list()) {
      const before = known.get(file.filename);
      const isKnown = before?.etag === file.etag;
      const json = isKnown ? before.json : JSON.stringify(entryOf(file, await texts.read('profile', file.text)));
      entries.push([file.filename, { etag: file.etag, json }]);
    }
    listed = new Map(entries);
    const json = entries.map(([, entry]) => entry.json).join(',');
    return { status: 200, body: PreparedJson.from<ExperimentProfileEntry[]>(`[${json}]`) };
  };
  return list;
}

const checkedProfile = (parsed: ParsedProfile) => {
  const valid = parsed.is === 'valid';
  const missing = valid ? unsupportedSentences(parsed) : [];
  return {
    valid,
    runnable: valid && missing.length === 0,
    diagnostics: [...parsed.diagnostics],
    not_runnable_because: [...missing],
  };
};

function runHandlers({ context, runtime, runs, record }: Omit<ProfileHandlersOptions, 'files' | 'texts'>) {
  const running: Handler<Routes['listRunningProfiles']> = ({ params: { experiment } }) => ({
    status: 200,
    body: runtime.running({ jobName: profileJobName, experiment }).map(({ origin }) => {
      const found = runs.runOf(origin.jobId);
      return {
        job_name: profileJobName,
        experiment,
        job_id: origin.jobId,
        run_id: found?.run.uid ?? null,
        dry_run: found?.run.isDryRun ?? false,
        asks_about: itemKeyOf(found?.asksAbout),
        failed_actions: found?.counts.failed ?? 0,
        settings: { ...runtime.settingsOf(origin) },
      };
    }),
  });

  return {
    listAllProfileRuns: async ({ query }) => ({ status: 200, body: await newestRuns(context.database.read, query) }),
    listRecentProfileRuns: async ({ params, query }) => ({
      status: 200,
      body: await profileRuns(context.database.read, params.experiment, query),
    }),
    getProfileRun: async ({ params, query }) => ({ status: 200, body: await runDetails(record, params, query) }),
    listProfileRunActions: async ({ params, query }) => ({
      status: 200,
      body: await runActions(record, params, query),
    }),
    listRunningProfiles: running,
    listRunningProfilesOfExperiment: running,
  } satisfies Partial<Handlers<Routes>>;
}

/** Files of profiles, and their runs. */
export function profileHandlers(options: ProfileHandlersOptions): Handlers<Routes> {
  const { context, files, texts } = options;
  const list = profileList({ files, texts });

  const create: Handler<Routes['createExperimentProfile']> = async ({ body: { filename, body: text } }) => {
    const parsed = expectValid(await texts.read('profile', text));
    await files.create(expectFileName(filename), text);
    return saved(parsed);
  };

  const read: Handler<Routes['getExperimentProfile']> = async ({ params }) => {
    const { text, etag } = await files.get(params.filename);
    return { status: 200, body: text, headers: { etag } };
  };

  const remove: Handler<Routes['deleteExperimentProfile']> = async ({ params: { filename }, headers }) => {
    await files.remove(filename, textOf(headers['if-match']));
    await context.change((_, { logEvent }) =>
      logEvent({ level: 'INFO', message: `Deleted the profile ${filename}.`, task: 'experiment_profiles' }),
    );
    return { status: 200, body: { status: 'success' } };
  };

  return {
    listExperimentProfiles: list,
    createExperimentProfile: create,
    getExperimentProfile: read,
    saveExperimentProfile: async ({ params, query, body: { body: text }, headers }) => {
      const parsed = expectValid(await texts.read('profile', text));
      const filename = expectFileName(params.filename);
      await files.replace(filename, text, { mayBeNew: query.create ?? false, ...ifMatchIn(headers) });
      return saved(parsed);
    },
    deleteExperimentProfile: remove,
    checkExperimentProfile: async ({ body: { body: text } }) => ({
      status: 200,
      body: checkedProfile(await texts.read('profile', text)),
    }),
    getProfileSchema: () => ({ status: 200, body: { ...profileSchema } }),
    listLibraryProfiles: () => ({ status: 200, body: [...profileLibrary] }),
    ...runHandlers(options),
    listContributedProfiles: list,
    createContributedProfile: create,
    saveContributedProfile: async ({ body: { filename, body: text }, headers }) => {
      const parsed = expectValid(await texts.read('profile', text));
      await files.replace(expectFileName(filename), text, ifMatchIn(headers));
      return saved(parsed);
    },
    getContributedProfile: read,
    deleteContributedProfile: remove,
  };
}
