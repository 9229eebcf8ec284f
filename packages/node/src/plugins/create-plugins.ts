import type { Handlers, pluginRoutes } from '@lcs/contract';
import type { TaskRunner } from '@lcs/platform';
import type { JobRuntime } from '../jobs/job-runtime.ts';
import { npmPackageTool, type PackageTool } from './package-tool.ts';
import { PluginChanges } from './plugin-changes.ts';
import { expectPluginChanges } from './plugin-guard.ts';
import { pluginHandlers } from './plugin-handlers.ts';
import type { PluginSources } from './plugin-source.ts';
import { Plugins, type PluginsOptions } from './plugins.ts';

export interface NodePluginsOptions extends Omit<PluginsOptions, 'own' | 'offer' | 'jobSettings'> {
  /** The jobs of the node. */
  readonly runtime: JobRuntime;
  /** Not started yet: the kinds of tasks are registered here. */
  readonly tasks: TaskRunner;
  readonly sources: PluginSources;
  /** Default: npm. */
  readonly tool?: PackageTool;
}

/** The plugins of a node and their routes. */
export interface NodePlugins {
  /** Start this before the jobs. */
  readonly plugins: Plugins;
  readonly handlers: Handlers<typeof pluginRoutes>;
}

/** Creates the plugin services of every node. */
export function createNodePlugins(options: NodePluginsOptions): NodePlugins {
  const { tasks, sources, tool = npmPackageTool(), runtime, unit, dataFolder, wire, config, isLeader } = options;
  const plugins = new Plugins({
    ...options,
    own: () => runtime.ownDefinitions(),
    offer: (definitions) => runtime.setAdded(definitions),
    jobSettings: (job) => (runtime.running({ jobName: job }).length > 0 ? runtime.settings(job) : undefined),
  });
  const changes = new PluginChanges({ plugins, tasks, tool, sources, isLeader });
  const expectChanges = () => expectPluginChanges(dataFolder, config());
  return { plugins, handlers: pluginHandlers({ unit, plugins, changes, wire, expectChanges }) };
}
