import type { Json } from '@lcs/contract';
import type { PluginJob } from './plugin-job.ts';
import type { PluginRoute } from './plugin-route.ts';

/**
 * The identity of a plugin. A package has it in its `package.json` (`name`, `version`, `description`, `author`, `homepage`, and
 * `lcs.leader_only`); a single file exports it.
 */
export interface PluginManifest {
  /** Letters, digits, `.`, `_`, `-`. Default: the name of the file. */
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly author?: string;
  readonly homepage?: string;
  /** Only the leader's node uses it. */
  readonly leader_only?: boolean;
}

/** An automation of an automation job, selected by `automation_name`. */
export interface PluginAutomation extends Omit<PluginJob, 'stopGroup' | 'drivesOutputs'> {
  readonly job: 'dosing_automation' | 'led_automation' | 'temperature_automation';
  /** The `automation_name`. */
  readonly name: string;
}

/** A descriptor with the structure of docs/plugins.md. The node omits an invalid one and reports it. */
export type Descriptor = Readonly<Record<string, Json>>;

/** Everything that a plugin adds to a node. */
export interface Plugin {
  readonly manifest?: PluginManifest;
  readonly jobs?: readonly PluginJob[];
  readonly automations?: readonly PluginAutomation[];
  /** The display of its jobs, automations, settings, charts and readings. */
  readonly descriptors?: {
    /** By their `job_name`. */
    readonly jobs?: readonly Descriptor[];
    /** By the kind of automation (`dosing`, `led`, `temperature`). */
    readonly automations?: Readonly<Record<string, readonly Descriptor[]>>;
    readonly settings?: readonly Descriptor[];
    readonly charts?: readonly Descriptor[];
    /** Label, unit and decimals of the sources that its jobs record. */
    readonly readings?: readonly Descriptor[];
  };
  /** Data of the leader's store that people can export. */
  readonly datasets?: readonly Descriptor[];
  /** Below `/unit_api/plugins/<name>/`, and on the leader's node also below `/api/plugins/<name>/`. */
  readonly routes?: readonly PluginRoute[];
}

/**
 * Checks a plugin while it is written; does nothing at run time. The plugin is the default export of its module.
 *
 * @example
 * export default definePlugin({ manifest: { name: 'hello', version: '1.0.0' }, jobs: [] });
 */
export function definePlugin<const Definition extends Plugin>(plugin: Definition): Definition {
  return plugin;
}
