import { checkDefinition, type JobDefinition } from '../jobs/job-definition.ts';
import type { DescribedAutomation, PluginDescription } from './plugin-description.ts';
import type { FoundPlugin, PluginIdentity } from './plugin-folder.ts';
import { stemOf } from './plugin-folder.ts';
import { type AddedAutomation, type PluginJobNeeds, pluginJob, withAutomations } from './plugin-job.ts';

/** A plugin of the folder, and what became of loading it. */
export interface LoadedFind {
  readonly found: FoundPlugin;
  readonly outcome: { readonly description: PluginDescription } | { readonly error: string } | 'not yet';
}

/** A plugin as this node has it. */
export interface KnownPlugin {
  readonly found: FoundPlugin;
  readonly identity: PluginIdentity;
  /** What it adds; undefined when it cannot be used. */
  readonly description: PluginDescription | undefined;
  /** Why it cannot be used, in a sentence for people. */
  readonly error: string | undefined;
}

/** What may be the name of a plugin, in a request and in a manifest. */
export const pluginName = /^(@[a-z0-9._-]+\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/;
/** Words of the paths below `/unit_api/plugins`, so that nothing can be called like them. */
const reservedNames = new Set(['installed', 'install', 'uninstall', 'install-from-usb', 'install-from-leader-usb']);

function identityOf({ identity, id }: FoundPlugin, description: PluginDescription | undefined): PluginIdentity {
  if (identity !== undefined) return identity;
  const { name = stemOf(id), version, author, homepage, leader_only, ...rest } = description?.manifest ?? {};
  return {
    name,
    version: version ?? null,
    description: rest.description ?? null,
    author: author ?? null,
    homepage: homepage ?? null,
    leaderOnly: leader_only ?? false,
  };
}

/** What one plugin must not have in common with the node's own jobs and other plugins. */
class Taken {
  readonly #own: readonly JobDefinition[];
  readonly #names = new Map<string, string>();

  constructor(own: readonly JobDefinition[]) {
    this.#own = own;
  }

  /** Why this plugin cannot stand beside those before it; undefined when it can, and is one of them from now on. */
  refuse({ name }: PluginIdentity, { jobs, automations, routes }: PluginDescription): string | undefined {
    if (!pluginName.test(name) || reservedNames.has(name)) return `No plugin can be called '${name}'.`;
    const own = jobs.find((job) => this.#own.some((definition) => definition.name === job.name));
    if (own !== undefined) return `Its job ${own.name} is called like one of the program.`;
    const ownKind = automations.find(({ job, name: kind }) => {
      const { variants = {} } = this.#own.find((definition) => definition.name === job) ?? {};
      return Object.hasOwn(variants, kind);
    });
    if (ownKind !== undefined) return `Its automation ${ownKind.name} is called like one of the program.`;
    for (const job of jobs) {
      try {
        checkDefinition({ ...job, isActuating: false, start: () => ({}) });
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    }
    const words = [
      `the plugin ${name}`,
      ...jobs.map((job) => `the job ${job.name}`),
      ...automations.map((automation) => `the automation ${automation.job} ${automation.name}`),
    ];
    const declared = [...words, ...routes.map(({ method, path }) => `the route ${method} ${path}`)];
    const twice = declared.find((word, index) => declared.indexOf(word) !== index);
    if (twice !== undefined) return `It declares ${twice} twice.`;
    const other = words.find((word) => this.#names.has(word));
    if (other !== undefined) return `There is ${other} already, of ${this.#names.get(other)}.`;
    for (const word of words) this.#names.set(word, name);
    return undefined;
  }
}

/** Puts plugins together, in their order; of two that want the same name the first has it. */
export function composePlugins(finds: readonly LoadedFind[], own: readonly JobDefinition[]): readonly KnownPlugin[] {
  const taken = new Taken(own);
  return finds.map(({ found, outcome }): KnownPlugin => {
    if (outcome === 'not yet')
      return { found, identity: identityOf(found, undefined), description: undefined, error: 'It is being loaded.' };
    if ('error' in outcome)
      return { found, identity: identityOf(found, undefined), description: undefined, error: outcome.error };
    const identity = identityOf(found, outcome.description);
    const error = taken.refuse(identity, outcome.description);
    return { found, identity, description: error === undefined ? outcome.description : undefined, error };
  });
}

/** The jobs that these plugins add to a node. */
export function definitionsOf(
  plugins: readonly KnownPlugin[],
  own: readonly JobDefinition[],
  needsOf: (plugin: KnownPlugin) => PluginJobNeeds,
): readonly JobDefinition[] {
  const jobs: JobDefinition[] = [];
  const automations = new Map<DescribedAutomation['job'], AddedAutomation[]>();
  for (const plugin of plugins) {
    const needs = needsOf(plugin);
    for (const job of plugin.description?.jobs ?? []) jobs.push(pluginJob(job, needs));
    for (const automation of plugin.description?.automations ?? []) {
      automations.set(automation.job, [...(automations.get(automation.job) ?? []), { automation, needs }]);
    }
  }
  const extended = [...automations].map(([job, added]) =>
    withAutomations(
      job,
      own.find(({ name }) => name === job),
      added,
    ),
  );
  return [...jobs, ...extended];
}
