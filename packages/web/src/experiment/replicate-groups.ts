import type { ReplicateGroup } from '@lcs/contract';

/** The name of the group that a unit is in; empty: in none. */
export const groupOf = (groups: readonly ReplicateGroup[], unit: string): string =>
  groups.find(({ units }) => units.includes(unit))?.name ?? '';

/** The groups after a unit has moved to the group of a name, which may be new or empty for none. A group without units goes. */
export function withGroup(groups: readonly ReplicateGroup[], unit: string, name: string): readonly ReplicateGroup[] {
  const without = groups.map((group) => ({ ...group, units: group.units.filter((each) => each !== unit) }));
  const known = without.some((group) => group.name === name);
  const joined = without.map((group) => (group.name === name ? { ...group, units: [...group.units, unit] } : group));
  return [...joined, ...(known || name === '' ? [] : [{ name, units: [unit] }])].filter(
    ({ units }) => units.length > 0,
  );
}
