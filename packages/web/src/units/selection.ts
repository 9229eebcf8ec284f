/** Which units of a list are selected. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  /** Where a range begins: the unit that was chosen or left out last. */
  readonly anchor: string | null;
}

export const noSelection: Selection = { chosen: new Set(), anchor: null };

/** Selects these units only. */
export const selectionOf = (units: readonly string[]): Selection => ({
  chosen: new Set(units),
  anchor: units[0] ?? null,
});

/** Selects a unit, or no longer. */
export function withToggled({ chosen }: Selection, unit: string): Selection {
  const next = new Set(chosen);
  if (!next.delete(unit)) next.add(unit);
  return { chosen: next, anchor: unit };
}

/** All units between the anchor and a unit become as the anchor is: selected or not. */
export function withRange(selection: Selection, order: readonly string[], unit: string): Selection {
  const { chosen, anchor } = selection;
  const [from, to] = [anchor === null ? -1 : order.indexOf(anchor), order.indexOf(unit)];
  if (anchor === null || from === -1 || to === -1) return withToggled(selection, unit);
  const next = new Set(chosen);
  for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (chosen.has(anchor)) next.add(each);
    else next.delete(each);
  }
  return { chosen: next, anchor: unit };
}

/** Units that belong together, with a name for people. */
export interface UnitGroup {
  readonly name: string;
  readonly units: readonly string[];
}

/** The groups of some units: those of replicates, and the labels that several units share. */
export function unitGroups(
  units: readonly string[],
  replicates: readonly UnitGroup[],
  labelOf: (unit: string) => string,
): readonly UnitGroup[] {
  const labelled = [...Map.groupBy(units, labelOf)]
    .filter(([, members]) => members.length > 1)
    .map(([name, members]) => ({ name, units: members }));
  const known = replicates
    .map(({ name, units: members }) => ({ name, units: members.filter((unit) => units.includes(unit)) }))
    .filter(({ units: members }) => members.length > 0);
  const names = new Set(known.map(({ name }) => name));
  return [...known, ...labelled.filter(({ name }) => !names.has(name))];
}
