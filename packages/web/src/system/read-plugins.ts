import type { FinishedTask, InstalledPlugin } from '@lcs/contract';

/** A plugin with the units that have it; versions and faults may differ between them. */
export interface FleetPlugin {
  readonly name: string;
  readonly description: string | null;
  readonly author: string;
  readonly places: readonly { readonly unit: string; readonly version: string; readonly error: string | null }[];
}

export interface FleetPlugins {
  readonly plugins: readonly FleetPlugin[];
  /** Units that did not say which plugins they have. */
  readonly silent: readonly string[];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlugin = (value: unknown): value is InstalledPlugin =>
  isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string';

/** The task that asked the units has failed as a whole. */
export class PluginsUnknown extends Error {}

/** Which plugins are where, of the finished task that asked all units; by name. */
export function readPlugins(task: FinishedTask): FleetPlugins {
  if (task.status === 'failed') throw new PluginsUnknown(task.error);
  const byName = new Map<string, FleetPlugin>();
  const silent: string[] = [];
  for (const [unit, outcome] of Object.entries(isRecord(task.result) ? task.result : {})) {
    if (!isRecord(outcome) || outcome.ok !== true || !Array.isArray(outcome.value)) {
      silent.push(unit);
      continue;
    }
    for (const { name, version, description, author, error = null } of outcome.value.filter(isPlugin)) {
      const known = byName.get(name) ?? { name, description, author, places: [] };
      byName.set(name, { ...known, places: [...known.places, { unit, version, error }] });
    }
  }
  const plugins = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { plugins, silent };
}
