import {
  ApiError,
  authorOf,
  type Caller,
  type ConfigChange,
  type ConfigHistoryEntry,
  type ConfigHistoryQuery,
  type ConfigSaved,
  configAuthors,
  type configRoutes,
  type Handlers,
  type MergedConfigs,
  PreparedJson,
  StreamBody,
  StreamedJson,
} from '@lcs/contract';
import { baseVersions } from '@lcs/node';
import { jsonInPieces, withHiddenSecrets } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { broadcast, withLeader } from '../queries/addressed-units.ts';
import { workerNames } from '../queries/workers.ts';
import { configArchive } from './config-archive.ts';
import { configHistory, ownConfigNames, type SaveTerms, sharedConfigName, versionOf } from './config-history.ts';
import { configSettings } from './config-settings.ts';
import { type MergedConfigsReader, mergedConfigPath } from './merged-configs.ts';
import { type ConfigFileName, configFileNamed, olderFileNames } from './older-config-files.ts';
import type { OwnConfigs } from './own-configs.ts';
import type { SavedText, SharedConfig } from './shared-config.ts';
import { expectVolumesInVial, type VialModels } from './vial-limits.ts';

export interface ConfigParts {
  readonly shared: SharedConfig;
  readonly own: OwnConfigs;
  readonly merged: MergedConfigsReader;
  readonly models: VialModels;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The parts of a request that belong to the terms of a save. */
interface SaveRequest {
  readonly headers: Headers;
  readonly caller: Caller;
}

/** The terms of a save; the body takes precedence over the header. */
export function saveTermsOf(change: ConfigChange, { headers, caller }: SaveRequest): SaveTerms {
  const basedOn = baseVersions(change, headers);
  const author = authorOf(caller, change.author) ?? configAuthors.unnamed;
  return { ...(basedOn !== undefined && { basedOn }), author };
}

const etagOf = (text: string) => ({ etag: `"${versionOf(text)}"` });
/** A file as the API returns it, with its version. */
export const fileAnswer = (text: string) =>
  ({ status: 200, body: withHiddenSecrets(text), headers: etagOf(text) }) as const;

/** @throws ApiError one_unit_only */
function expectSingleUnit(unit: string): void {
  if (unit === broadcast) throw new ApiError('one_unit_only', {});
}

/** The older routes name files: an unknown unit is an unknown file. */
async function asFileNotFound<Result>(filename: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'unit_unknown' || error.code === 'one_unit_only')) {
      throw new ApiError('config_file_not_found', { filename });
    }
    throw error;
  }
}

/** Saves, for all routes: sends the file to the units and drops their cached answers. */
function saveOperations(context: LeaderContext, { shared, own, models }: ConfigParts) {
  const { database, desired, fleet, leader } = context;
  /** The leader reads its files itself; workers receive theirs with their documents. */
  const saveAndDeliver = async (units: readonly string[], save: () => Promise<SavedText>) => {
    fleet.forget(units, [mergedConfigPath]);
    const { text, warnings } = await save();
    const pending = await desired.deliverNow(units);
    fleet.forget(units, [mergedConfigPath]);
    const body: ConfigSaved = {
      status: 'success',
      ...(pending.length > 0 && { pending: [...pending].sort() }),
      ...(warnings.length > 0 && { diagnostics: [...warnings] }),
    };
    return { status: 200, body, headers: etagOf(text) } as const;
  };
  return {
    shared: async (change: ConfigChange, request: SaveRequest) => {
      await expectVolumesInVial(context, models, { code: change.code, unit: null });
      return saveAndDeliver(withLeader(leader, await workerNames(database.read)), () =>
        shared.save(change.code, saveTermsOf(change, request)),
      );
    },
    own: async (unit: string, change: ConfigChange, request: SaveRequest) => {
      expectSingleUnit(unit);
      await expectVolumesInVial(context, models, { code: change.code, unit });
      return saveAndDeliver([unit], () => own.save(unit, change.code, saveTermsOf(change, request)));
    },
  };
}

/** All names under which a file has versions. */
const historyNames = (file: ConfigFileName): string | readonly string[] =>
  file.is === 'shared' ? sharedConfigName : ownConfigNames(file.unit);

function readOperations({ database }: LeaderContext, { shared, own }: ConfigParts) {
  return {
    text: async (file: ConfigFileName) => {
      if (file.is === 'shared') return fileAnswer(await shared.text());
      expectSingleUnit(file.unit);
      return fileAnswer(await own.text(file.unit));
    },
    history: (file: ConfigFileName, part: ConfigHistoryQuery) => ({
      status: 200 as const,
      body: new StreamedJson<ConfigHistoryEntry[]>(configHistory(database.read, historyNames(file), part)),
    }),
  };
}

/** Levels of the merged view that are written piece by piece: its two parts, and the units in them. */
const mergedLevels = 2;

/** The configuration files of the cluster, and the active configuration. */
export function configHandlers(context: LeaderContext, parts: ConfigParts): Handlers<typeof configRoutes> {
  const { clock, database, leader } = context;
  const { shared, own, merged } = parts;
  const save = saveOperations(context, parts);
  const read = readOperations(context, parts);
  const units = async () => [...withLeader(leader, await workerNames(database.read))].sort();
  const settings = { status: 200, body: configSettings() } as const;
  return {
    getSharedConfig: () => read.text({ is: 'shared' }),
    saveSharedConfig: ({ body, ...request }) => save.shared(body, request),
    listSharedConfigHistory: ({ query }) => read.history({ is: 'shared' }, query),

    getMergedConfigs: async ({ params, query }) => ({
      status: 200,
      body: PreparedJson.from<MergedConfigs>(
        await jsonInPieces(await merged.read('units', params.reactor_unit, query.unit), mergedLevels),
      ),
    }),
    getSpecificConfig: ({ params }) => read.text({ is: 'own', unit: params.reactor_unit }),
    saveSpecificConfig: ({ params, body, ...request }) => save.own(params.reactor_unit, body, request),
    listSpecificConfigHistory: ({ params, query }) => {
      expectSingleUnit(params.reactor_unit);
      return read.history({ is: 'own', unit: params.reactor_unit }, query);
    },

    getZippedConfigs: async () => {
      const files = { shared: await shared.text(), units: await units(), ownOf: (unit: string) => own.find(unit) };
      // This file may be unreadable: the request fails before the archive begins.
      await own.text(leader);
      return {
        status: 200,
        body: new StreamBody(configArchive(files, clock.now())),
        headers: { 'content-disposition': 'attachment; filename=configuration_inis.zip' },
      };
    },
    listConfigSettings: () => settings,

    listConfigFiles: async () => ({ status: 200, body: olderFileNames(await units()) }),
    getConfigFile: ({ params: { filename } }) => asFileNotFound(filename, read.text(configFileNamed(filename))),
    saveConfigFile: async ({ params: { filename }, body, ...request }) => {
      const file = configFileNamed(filename);
      return file.is === 'shared'
        ? save.shared(body, request)
        : asFileNotFound(filename, save.own(file.unit, body, request));
    },
    listConfigFileHistory: ({ params: { filename }, query }) => {
      const file = knownFile(filename);
      return file === undefined ? { status: 200, body: [] } : read.history(file, query);
    },
    getUnitConfiguration: async ({ params }) => ({
      status: 200,
      body: (await merged.read('units', params.reactor_unit)).configs,
    }),
    getWorkerConfiguration: async ({ params }) => ({
      status: 200,
      body: (await merged.read('workers', params.reactor_unit)).configs,
    }),
  };
}

/** The file of a name; undefined for a name that no file has. */
function knownFile(filename: string): ConfigFileName | undefined {
  try {
    return configFileNamed(filename);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
