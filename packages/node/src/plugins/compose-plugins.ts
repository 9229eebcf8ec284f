import { definitionFault, type JobDefinition } from '../jobs/job-definition.ts';
import type { DescribedAutomation, PluginDescription, PluginFault } from './plugin-description.ts';
import type { FoundPlugin, PluginIdentity } from './plugin-folder.ts';
import { stemOf } from './plugin-folder.ts';
import { type AddedAutomation, type PluginJobNeeds, pluginJob, withAutomations } from './plugin-job.ts';

/** A plugin of the folder with the outcome of loading it. */
export interface LoadOutcome {
  readonly found: FoundPlugin;
  readonly outcome: { readonly description: PluginDescription } | { readonly fault: PluginFault } | 'not yet';
}

/** A plugin of this node. */
export interface KnownPlugin {
  readonly found: FoundPlugin;
  readonly identity: PluginIdentity;
  /** Its description; undefined when it is unusable. */
  readonly description: PluginDescription | undefined;
  readonly fault: PluginFault | undefined;
}

/** The pattern of plugin names, in requests and manifests. */
export const pluginName = /^(@[a-z0-9._-]+\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/;
/** Path segments below `/unit_api/plugins`, which cannot be names of plugins. */
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

/** The names that plugins must not share with the node's own jobs and each other. */
class UsedNames {
  readonly #own: readonly JobDefinition[];
  readonly #names = new Map<string, string>();

  constructor(own: readonly JobDefinition[]) {
    this.#own = own;
  }

  /** The conflict of this plugin with earlier ones; undefined when there is none, and the plugin is added to them. */
  add({ name }: PluginIdentity, { jobs, automations, routes }: PluginDescription): PluginFault | undefined {
    if (!pluginName.test(name)) {
      const message = `'${name}' is not a valid name of a plugin: use letters, digits, '.', '_' and '-', first a letter or digit.`;
      return { code: 'name_invalid', message };
    }
    if (reservedNames.has(name))
      return { code: 'name_reserved', message: `'${name}' is reserved and cannot be the name of a plugin.` };
    const own = jobs.find((job) => this.#own.some((definition) => definition.name === job.name));
    if (own !== undefined)
      return { code: 'name_taken', message: `Its job ${own.name} has the name of a job of the program.` };
    const ownKind = automations.find(({ job, name: kind }) => {
      const { variants = {} } = this.#own.find((definition) => definition.name === job) ?? {};
      return Object.hasOwn(variants, kind);
    });
    if (ownKind !== undefined)
      return { code: 'name_taken', message: `Its automation ${ownKind.name} has the name of one of the program.` };
    const [reserved] = jobs.flatMap((job) => definitionFault(job) ?? []);
    if (reserved !== undefined) return { code: 'name_reserved', message: reserved };
    const names = [
      `the plugin ${name}`,
      ...jobs.map((job) => `the job ${job.name}`),
      ...automations.map((automation) => `the automation ${automation.job} ${automation.name}`),
    ];
    const declared = [...names, ...routes.map(({ method, path }) => `the route ${method} ${path}`)];
    const twice = declared.find((one, index) => declared.indexOf(one) !== index);
    if (twice !== undefined) return { code: 'declared_twice', message: `It declares ${twice} twice.` };
    const taken = names.find((one) => this.#names.has(one));
    if (taken !== undefined)
      return { code: 'name_taken', message: `It declares ${taken}, which ${this.#names.get(taken)} has already.` };
    for (const one of names) this.#names.set(one, name);
    return undefined;
  }
}

/** Combines plugins in their order; the first of two with the same name is used. */
export function composePlugins(finds: readonly LoadOutcome[], own: readonly JobDefinition[]): readonly KnownPlugin[] {
  const used = new UsedNames(own);
  return finds.map(({ found, outcome }): KnownPlugin => {
    if (outcome === 'not yet' || 'fault' in outcome)
      return {
        found,
        identity: identityOf(found, undefined),
        description: undefined,
        fault: outcome === 'not yet' ? isLoading : outcome.fault,
      };
    const identity = identityOf(found, outcome.description);
    const fault = used.add(identity, outcome.description);
    return { found, identity, description: fault === undefined ? outcome.description : undefined, fault };
  });
}

const isLoading: PluginFault = { code: 'loading', message: 'It is being loaded.' };

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
