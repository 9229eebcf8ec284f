import { entriesOf, type FinishedTask, InstalledPlugin, unitOutcomes } from '@lcs/contract';

/** A plugin with the units that have it; versions and faults may differ between them. */
export interface FleetPlugin {
  readonly name: string;
  readonly description: string | null;
  readonly author: string;
  readonly places: readonly { readonly unit: string; readonly version: string; readonly error: string | null }[];
}

export interface FleetPlugins {
  readonly plugins: readonly FleetPlugin[];
  /** Units that reported their plugins. */
  readonly answered: readonly string[];
  /** Units that did not report their plugins. */
  readonly unanswered: readonly string[];
}

/** The installed plugins by name, each with its units, from the finished task of all units. @throws ProblemError when the task failed */
export function readPlugins(task: FinishedTask): FleetPlugins {
  const byName = new Map<string, FleetPlugin>();
  const answered: string[] = [];
  const unanswered: string[] = [];
  for (const [unit, outcome] of unitOutcomes(task)) {
    const installed = outcome.ok ? entriesOf(InstalledPlugin, outcome.value) : undefined;
    (installed === undefined ? unanswered : answered).push(unit);
    for (const { name, version, description, author, error = null } of installed ?? []) {
      const known = byName.get(name) ?? { name, description, author, places: [] };
      byName.set(name, { ...known, places: [...known.places, { unit, version, error }] });
    }
  }
  const plugins = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { plugins, answered, unanswered };
}
