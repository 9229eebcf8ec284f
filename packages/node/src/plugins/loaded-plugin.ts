import type { Plugin } from '@lcs/plugin-api';
import type { PluginDescription } from './plugin-description.ts';

/** A plugin whose code is there. */
export type LoadedPlugin = Plugin;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
/** What it declares is checked by the node, which gets a description without code. */
const isPlugin = (value: unknown): value is Plugin => isObject(value) && !Array.isArray(value);

/** The plugin that a module exports. */
export function loadedPlugin(module: object): LoadedPlugin {
  const exported: unknown = 'default' in module ? module.default : undefined;
  if (!isPlugin(exported)) throw new Error('Its default export is no plugin.');
  return exported;
}

/** What it adds, as data. Only what goes through JSON arrives. */
export function describePlugin({
  manifest,
  jobs,
  automations,
  descriptors,
  datasets,
  routes,
}: Plugin): PluginDescription {
  const description = {
    manifest: manifest ?? {},
    jobs: (jobs ?? []).map(({ name, help, drivesOutputs = false, stopGroup, settings, options }) => ({
      name,
      help: help ?? '',
      drivesOutputs,
      stopGroup: stopGroup ?? (drivesOutputs ? 'heat_and_pwm' : 'rest'),
      settings: settings ?? {},
      options: options ?? {},
    })),
    automations: (automations ?? []).map(({ name, job, help, settings, options }) => ({
      name,
      job,
      help: help ?? '',
      settings: settings ?? {},
      options: options ?? {},
    })),
    descriptors: { jobs: [], automations: {}, settings: [], charts: [], ...descriptors },
    datasets: datasets ?? [],
    routes: (routes ?? []).map(({ method, path, summary, query, body, response }) => ({
      method,
      path,
      summary,
      query: query ?? null,
      body: body ?? null,
      response,
    })),
  };
  return JSON.parse(JSON.stringify(description));
}
