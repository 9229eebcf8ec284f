import type { Plugin } from '@lcs/plugin-api';
import type { PluginDescription } from './plugin-description.ts';

/** A plugin with its code. */
export type LoadedPlugin = Plugin;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
/** The node checks its description, which has no code. */
const isPlugin = (value: unknown): value is Plugin => isObject(value) && !Array.isArray(value);

/** The plugin that a module exports. */
export function loadedPlugin(module: object): LoadedPlugin {
  const exported: unknown = 'default' in module ? module.default : undefined;
  if (!isPlugin(exported)) throw new Error('Its default export is not a plugin.');
  return exported;
}

/** The description of a plugin. Only JSON values are transferred. */
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
    jobs: (jobs ?? []).map(({ name, help, drivesOutputs = false, stopGroup, settings, options, usesJobs }) => ({
      name,
      help: help ?? '',
      drivesOutputs,
      stopGroup: stopGroup ?? (drivesOutputs ? 'heat_and_pwm' : 'rest'),
      // Pumps are on the same outputs as heaters.
      mayRunPumps: drivesOutputs && stopGroup === undefined,
      settings: settings ?? {},
      options: options ?? {},
      usesJobs: usesJobs ?? [],
    })),
    automations: (automations ?? []).map(({ name, job, help, settings, options, usesJobs }) => ({
      name,
      job,
      help: help ?? '',
      settings: settings ?? {},
      options: options ?? {},
      usesJobs: usesJobs ?? [],
    })),
    descriptors: { jobs: [], automations: {}, settings: [], charts: [], readings: [], ...descriptors },
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
