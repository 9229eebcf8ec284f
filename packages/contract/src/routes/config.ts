import { Type } from 'typebox';
import {
  ConfigChange,
  ConfigHistoryEntry,
  ConfigHistoryQuery,
  ConfigSaved,
  ConfigSetting,
  ConfigsByUnit,
  MergedConfigQuery,
  MergedConfigs,
} from '../resources/config.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok, plainText } from './answers.ts';

const tag = 'Configuration';

const read = {
  method: 'GET',
  tag,
  permission: 'config.read',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const file = {
  ...read,
  description:
    'The header `etag` is the SHA-256 of the text, for a save that must not overwrite the change of someone else.',
  responses: plainText,
} as const;

const save = {
  method: 'PATCH',
  description:
    'The text is checked, stored and added to the history; units receive it as soon as possible, and `pending` lists those that have not applied it yet. Running jobs keep their old values until they are started again. With `based_on` (or `if-match`) the save is refused when the file has another version now.',
  tag,
  permission: 'config.write',
  body: ConfigChange,
  responses: ok(ConfigSaved),
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const history = {
  ...read,
  description: 'The newest 1,000 versions of a file are kept.',
  query: ConfigHistoryQuery,
  responses: ok(Type.Array(ConfigHistoryEntry)),
} as const;

const configuration = {
  ...read,
  description:
    'As `configs` of /api/config/units/{reactor_unit}; of `$broadcast`, units without an answer are left out.',
  responses: ok(ConfigsByUnit),
  errors: ['unit_unknown', 'unit_gave_no_answer', 'config_missing', 'config_unreadable'],
  cache: 'no-store',
  deprecated: true,
} as const;

export const configRoutes = routes({
  getSharedConfig: {
    ...file,
    path: '/api/config/shared',
    summary: 'The shared configuration file',
    errors: ['config_unreadable'],
    cache: 10,
  },
  saveSharedConfig: {
    ...save,
    path: '/api/config/shared',
    summary: 'Replace the shared configuration file',
    errors: ['config_invalid', 'config_changed', 'config_unreadable'],
  },
  listSharedConfigHistory: {
    ...history,
    path: '/api/config/shared/history',
    summary: 'Earlier versions of the shared configuration file, newest first',
    errors: [],
    cache: 0,
  },
  getMergedConfigs: {
    ...read,
    path: '/api/config/units/{reactor_unit}',
    summary: 'Effective configuration of a unit: the shared file, overridden key by key by its own',
    description:
      'Read from the unit itself, at most 10 s old. `$broadcast` reads all units, or those of the query; `errors` contains the failure of each unit.',
    query: MergedConfigQuery,
    responses: ok(MergedConfigs),
    errors: ['unit_unknown', 'unit_gave_no_answer', 'config_missing', 'config_unreadable'],
    cache: 'no-store',
  },
  getSpecificConfig: {
    ...file,
    path: '/api/config/units/{reactor_unit}/specific',
    summary: "A unit's own configuration file",
    description: `As stored on the leader, also while the unit is away; empty when the unit has none. ${file.description}`,
    errors: ['unit_unknown', 'one_unit_only', 'config_unreadable'],
    cache: 0,
  },
  saveSpecificConfig: {
    ...save,
    path: '/api/config/units/{reactor_unit}/specific',
    summary: "Replace a unit's own configuration file",
    errors: ['unit_unknown', 'one_unit_only', 'config_invalid', 'config_changed', 'config_unreadable'],
  },
  listSpecificConfigHistory: {
    ...history,
    path: '/api/config/units/{reactor_unit}/specific/history',
    summary: "Earlier versions of a unit's own configuration file, newest first",
    errors: ['one_unit_only'],
    cache: 0,
  },
  getZippedConfigs: {
    ...read,
    path: '/api/config/zipped',
    summary: 'All configuration files as one archive',
    description: 'config.ini, `<unit>/unit_config.ini` for the leader and each worker, and metadata.json.',
    responses: {
      200: { description: 'The archive', schema: Type.String(), contentType: 'application/zip' },
    },
    errors: ['config_unreadable'],
    cache: 'no-cache',
  },
  listConfigSettings: {
    ...read,
    path: '/api/config/schema',
    summary: 'Meaning and valid values of the keys of the configuration files',
    responses: ok(Type.Array(ConfigSetting)),
    errors: [],
    cache: 'no-cache',
    origin: 'extension',
  },
  listConfigFiles: {
    ...read,
    path: '/api/configs',
    summary: 'Names of the configuration files',
    responses: ok(Type.Array(Type.String())),
    errors: [],
    cache: 'no-store',
    deprecated: true,
  },
  getConfigFile: {
    ...file,
    path: '/api/configs/{filename}',
    summary: 'One configuration file: config.ini, or config_<unit>.ini',
    errors: ['config_file_not_found', 'config_file_invalid', 'config_unreadable'],
    cache: 10,
    deprecated: true,
  },
  saveConfigFile: {
    ...save,
    path: '/api/configs/{filename}',
    summary: 'Replace one configuration file',
    errors: ['config_file_not_found', 'config_file_invalid', 'config_invalid', 'config_changed', 'config_unreadable'],
    deprecated: true,
  },
  listConfigFileHistory: {
    ...history,
    path: '/api/configs/{filename}/history',
    summary: 'Earlier versions of one configuration file, newest first',
    errors: [],
    cache: 15,
    deprecated: true,
  },
  getUnitConfiguration: {
    ...configuration,
    path: '/api/units/{reactor_unit}/configuration',
    summary: 'Effective configuration of a unit',
  },
  getWorkerConfiguration: {
    ...configuration,
    path: '/api/workers/{reactor_unit}/configuration',
    summary: 'Effective configuration of a worker',
  },
});
