import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ApiError,
  type ChangePlugin,
  type Handlers,
  type InstalledPlugin,
  type Json,
  type PluginDetails,
  type pluginRoutes,
} from '@lcs/contract';
import { type Clock, errnoOf } from '@lcs/platform';
import { resultPath } from '../routes/task-answer.ts';
import { type KnownPlugin, pluginName } from './compose-plugins.ts';
import type { PluginChanges } from './plugin-changes.ts';
import { pluginFile } from './plugin-folder.ts';
import type { Plugins } from './plugins.ts';

export interface PluginHandlersOptions {
  readonly unit: string;
  readonly plugins: Plugins;
  readonly changes: PluginChanges;
  readonly wire: Clock;
  /** @throws ApiError plugin_changes_forbidden */
  readonly expectChanges: () => Promise<void>;
}

/** How long a list waits for a plugin that is being loaded; then it is listed as loading. */
const listedWithinMs = 1_500;
const unknown = 'Unknown';
const version = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,50}$/;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function listed({ found, identity, fault }: KnownPlugin, { host }: Headers): InstalledPlugin {
  const { name, description, author, homepage } = identity;
  const file = `http://${host ?? 'localhost'}/unit_api/plugins/installed/${found.id}`;
  return {
    name,
    version: identity.version ?? unknown,
    description,
    homepage: homepage ?? (found.source === 'package' ? null : file),
    source: found.source,
    author: author ?? unknown,
    ...(fault === undefined ? {} : { error: fault.message }),
  };
}

function detailed(plugin: KnownPlugin, headers: Headers): PluginDetails {
  const { jobs = [], automations = [], descriptors, datasets = [], routes = [] } = plugin.description ?? {};
  const { jobs: ofJobs = [], settings = [], charts = [], automations: ofAutomations = {} } = descriptors ?? {};
  const lists = [ofJobs, settings, charts, ...Object.values(ofAutomations)];
  return {
    ...listed(plugin, headers),
    leader_only: plugin.identity.leaderOnly,
    jobs: jobs.map(({ name }) => name),
    automations: automations.map(({ job, name }) => ({ job, automation_name: name })),
    descriptors: lists.reduce((sum, { length }) => sum + length, 0),
    datasets: datasets.length,
    routes: routes.map((route) => ({
      ...route,
      path: `/unit_api/plugins/${encodeURIComponent(plugin.identity.name)}/${route.path}`,
    })),
  };
}

/** The one name of a request. @throws ApiError plugin_args_invalid, plugin_name_invalid */
function nameIn({ args = [] }: ChangePlugin): string {
  const [name, ...others] = args;
  if (name === undefined || others.length > 0) throw new ApiError('plugin_args_invalid', { count: args.length });
  if (!pluginName.test(name)) throw new ApiError('plugin_name_invalid', { name });
  return name;
}

/** The version that a request asks for. @throws ApiError plugin_version_invalid */
function versionIn({ options }: ChangePlugin): string | null {
  const wanted = options?.version ?? null;
  if (wanted !== null && !version.test(wanted)) throw new ApiError('plugin_version_invalid', { version: wanted });
  return wanted;
}

/** A body that came as JSON, as JSON again. */
const jsonOf = (body: object): Json => JSON.parse(JSON.stringify(body));

const textsOf = (query: object): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** The routes of plugins of one node. */
export function pluginHandlers(options: PluginHandlersOptions): Handlers<typeof pluginRoutes> {
  const { unit, plugins, changes, wire, expectChanges } = options;

  const upToDate = async (): Promise<void> => {
    const limit = new AbortController();
    const late = wire.sleep(listedWithinMs, limit.signal).catch(() => {});
    try {
      await Promise.race([plugins.refresh(), late]);
    } catch (error) {
      throw new ApiError('plugins_unlistable', { cause: error instanceof Error ? error.message : String(error) });
    } finally {
      limit.abort();
    }
  };
  const accepted = ({ taskId: task_id }: { readonly taskId: string }) =>
    ({ status: 202, body: { unit, task_id, result_url_path: resultPath(task_id), status: 'accepted' } }) as const;

  const install: Handlers<typeof pluginRoutes>['installPlugin'] = async ({ body }) => {
    await expectChanges();
    return accepted(await changes.install(nameIn(body), body.options?.source ?? null, versionIn(body)));
  };
  const installFromUsb: Handlers<typeof pluginRoutes>['installPluginFromUsb'] = async ({ body }) => {
    await expectChanges();
    return accepted(await changes.installFromDrive(body.filepath));
  };
  const uninstall: Handlers<typeof pluginRoutes>['uninstallPlugin'] = async ({ body }) => {
    await expectChanges();
    return accepted(await changes.uninstall(nameIn(body)));
  };

  return {
    listInstalledPlugins: async ({ headers }) => {
      await upToDate();
      return { status: 200, body: plugins.all().map((plugin) => listed(plugin, headers)) };
    },
    getPluginFile: async ({ params: { filename } }) => {
      if (!pluginFile.test(filename)) throw new ApiError('plugin_file_not_found', { file: filename });
      try {
        return { status: 200, body: await readFile(join(plugins.folder, filename), 'utf8') };
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EISDIR') throw error;
        throw new ApiError('plugin_file_not_found', { file: filename });
      }
    },
    getPlugin: async ({ params, headers }) => {
      await upToDate();
      return { status: 200, body: detailed(pluginNamed(plugins, params.plugin), headers) };
    },
    installPlugin: install,
    installPluginByPatch: install,
    installPluginFromUsb: installFromUsb,
    installPluginFromUsbByPatch: installFromUsb,
    uninstallPlugin: uninstall,
    uninstallPluginByPatch: uninstall,
    ...pluginCalls(plugins),
  };
}

type Call = {
  readonly params: { readonly plugin: string; readonly route: string };
  readonly query: object;
  readonly body?: object | undefined;
};

/** The routes of plugins: below `/unit_api/plugins` and, on a leader, also below `/api/plugins`. */
export function pluginCalls(plugins: Plugins) {
  const call =
    (method: 'GET' | 'POST') =>
    async ({ params, query, body }: Call) => {
      const plugin = pluginNamed(plugins, params.plugin);
      const given = { query: textsOf(query), body: body === undefined ? null : jsonOf(body) };
      return { status: 200, body: await plugins.answer(plugin, method, params.route, given) } as const;
    };
  return { askPlugin: call('GET'), callPlugin: call('POST') };
}

function pluginNamed(plugins: Plugins, name: string): KnownPlugin {
  const plugin = plugins.find(name);
  if (plugin === undefined) throw new ApiError('plugin_not_found', { plugin: name });
  return plugin;
}
