import { Type } from 'typebox';
import { AvailablePlugins, ChangePlugin, InstalledPlugin, PluginDetails, PluginOnUsb } from '../resources/plugin.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok, plainText } from './answers.ts';

type Group = Partial<RouteDeclaration>;

const tag = 'Plugins';
const open = Type.Object({}, { additionalProperties: true });
const answer = ok(Type.Unknown(), 'As the plugin declares it');

const reading = {
  method: 'GET',
  tag,
  permission: 'plugins.read',
  cache: 5,
  origin: 'specification',
} as const satisfies Group;

const changing = {
  tag,
  permission: 'plugins.write',
  responses: accepted,
  cache: 'no-store',
} as const satisfies Group;

const allowed =
  'Refused (403) unless the configuration contains [plugins] allow_install=1, and while the data folder has the marker DISALLOW_UI_INSTALLS.';

const install = {
  ...changing,
  path: '/unit_api/plugins/install',
  summary: 'Install a plugin, or another version of it',
  description: `The result is true; the message of the task names the installed version. Its jobs can be started at once. ${allowed}`,
  body: ChangePlugin,
  errors: ['plugin_changes_forbidden', 'plugin_args_invalid', 'plugin_name_invalid', 'plugin_version_invalid'],
  origin: 'specification',
} as const satisfies Group;

const installFromUsb = {
  ...changing,
  path: '/unit_api/plugins/install-from-usb',
  summary: 'Install a plugin from a USB drive of this node',
  description: `A .js, .ts or .tgz file. ${allowed}`,
  body: PluginOnUsb,
  errors: ['plugin_changes_forbidden'],
  origin: 'extension',
} as const satisfies Group;

const uninstall = {
  ...changing,
  path: '/unit_api/plugins/uninstall',
  summary: 'Remove a plugin',
  description: `By its name, or the name of its file without the ending. A missing plugin counts as removed. ${allowed}`,
  body: ChangePlugin,
  errors: ['plugin_changes_forbidden', 'plugin_args_invalid', 'plugin_name_invalid'],
  origin: 'specification',
} as const satisfies Group;

const call = {
  tag,
  cache: 'no-store',
  description: 'The plugin declares its requests and answers.',
  query: open,
  responses: answer,
  errors: ['plugin_not_found', 'plugin_route_not_found', 'plugin_request_invalid', 'plugin_failed'],
  origin: 'extension',
} as const satisfies Group;
const get = {
  ...call,
  method: 'GET',
  summary: 'Read from a plugin',
  permission: 'plugins.read',
} as const satisfies Group;
const post = {
  ...call,
  method: 'POST',
  summary: 'Call an action of a plugin',
  permission: 'jobs.run',
  body: open,
} as const satisfies Group;

/** Routes of every node. */
export const pluginRoutes = routes({
  listInstalledPlugins: {
    ...reading,
    path: '/unit_api/plugins/installed',
    summary: 'The plugins of this node',
    description: 'Unusable ones are listed with the reason.',
    responses: ok(Type.Array(InstalledPlugin)),
    errors: ['plugins_unlistable'],
  },
  getPluginFile: {
    ...reading,
    path: '/unit_api/plugins/installed/{filename}',
    summary: 'The text of a plugin that is a single file',
    responses: plainText,
    errors: ['plugin_file_not_found'],
    cache: 'no-cache',
  },
  getPlugin: {
    ...reading,
    path: '/unit_api/plugins/{plugin}',
    summary: 'What a plugin adds to this node',
    responses: ok(PluginDetails),
    errors: ['plugin_not_found', 'plugins_unlistable'],
    origin: 'extension',
    cache: 'no-cache',
  },
  installPlugin: { ...install, method: 'POST' },
  installPluginByPatch: { ...install, method: 'PATCH' },
  installPluginFromUsb: { ...installFromUsb, method: 'POST' },
  installPluginFromUsbByPatch: { ...installFromUsb, method: 'PATCH' },
  uninstallPlugin: { ...uninstall, method: 'POST' },
  uninstallPluginByPatch: { ...uninstall, method: 'PATCH' },
  askPlugin: { ...get, path: '/unit_api/plugins/{plugin}/{route}' },
  callPlugin: { ...post, path: '/unit_api/plugins/{plugin}/{route}' },
});

const perUnit =
  'The task has one outcome for each unit. A file on a USB drive or an upload is one of the leader: the leader sends it to the units.';

const change = {
  ...changing,
  body: ChangePlugin,
  description: perUnit,
  errors: ['plugin_changes_forbidden', 'unit_unknown'],
  origin: 'specification',
} as const satisfies Group;
const installOnUnits = {
  ...change,
  path: '/api/units/{reactor_unit}/plugins/install',
  summary: 'Install a plugin on a unit, or on all of them ($broadcast)',
} as const satisfies Group;
const uninstallOnUnits = {
  ...change,
  path: '/api/units/{reactor_unit}/plugins/uninstall',
  summary: 'Remove a plugin from a unit, or from all of them ($broadcast)',
} as const satisfies Group;
const fromLeaderUsb = {
  ...change,
  path: '/api/units/{reactor_unit}/plugins/install-from-leader-usb',
  summary: 'Install a plugin from a USB drive of the leader on a unit, or on all of them ($broadcast)',
  body: PluginOnUsb,
  origin: 'extension',
} as const satisfies Group;

/** Through the leader. */
export const leaderPluginRoutes = routes({
  listUnitPlugins: {
    ...reading,
    path: '/api/units/{reactor_unit}/plugins/installed',
    summary: 'The plugins of a unit, or of all of them ($broadcast)',
    description: 'The task has one outcome for each unit, at most 10 s old, and ends within 4 s.',
    responses: accepted,
    errors: ['unit_unknown'],
    cache: 'no-store',
  },
  listAvailablePlugins: {
    ...reading,
    path: '/api/plugins/available',
    summary: 'Plugins that can be installed, from the index',
    description:
      'The leader reads the index that `[plugins] index_url` of `leader.ini` names, at most every ten minutes and within 5 s. Without a connection the answer is the previous list with the problem.',
    responses: ok(AvailablePlugins),
    errors: [],
    origin: 'extension',
    cache: 'no-store',
  },
  installUnitPlugin: { ...installOnUnits, method: 'POST' },
  installUnitPluginByPatch: { ...installOnUnits, method: 'PATCH' },
  uninstallUnitPlugin: { ...uninstallOnUnits, method: 'POST' },
  uninstallUnitPluginByPatch: { ...uninstallOnUnits, method: 'PATCH' },
  installUnitPluginFromLeaderUsb: { ...fromLeaderUsb, method: 'POST' },
  installUnitPluginFromLeaderUsbByPatch: { ...fromLeaderUsb, method: 'PATCH' },
  askLeaderPlugin: { ...get, path: '/api/plugins/{plugin}/{route}' },
  callLeaderPlugin: { ...post, path: '/api/plugins/{plugin}/{route}' },
});
