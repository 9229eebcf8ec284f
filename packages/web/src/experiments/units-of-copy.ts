import type { Assignment, HistoricalAssignment } from '@lcs/contract';

/** A unit of an experiment that is copied. */
export interface CopiedUnit {
  readonly unit: string;
  /** The experiment in which it is now; `null`: it is free. */
  readonly from: string | null;
}

const naturally = new Intl.Collator('en', { numeric: true });

/** The units that a copy may take: those that the source has, or had when it has none, as far as the inventory still has them. */
export function unitsOfCopy(
  source: string,
  history: readonly Pick<HistoricalAssignment, 'reactor_unit'>[],
  assignments: readonly Pick<Assignment, 'reactor_unit' | 'experiment'>[],
): readonly CopiedUnit[] {
  const here = assignments.filter(({ experiment }) => experiment === source);
  const past = new Set(history.map(({ reactor_unit }) => reactor_unit));
  const shown = here.length > 0 ? here : assignments.filter(({ reactor_unit }) => past.has(reactor_unit));
  return shown
    .map(({ reactor_unit, experiment }) => ({ unit: reactor_unit, from: experiment }))
    .sort((left, right) => naturally.compare(left.unit, right.unit));
}

/** Free units are taken unless a person says otherwise; to take one from an experiment stops its jobs, so it must be chosen. */
export const unitsAtFirst = (units: readonly CopiedUnit[]): ReadonlySet<string> =>
  new Set(units.flatMap(({ unit, from }) => (from === null ? [unit] : [])));
