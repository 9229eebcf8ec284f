import type { Assignment } from '@lcs/contract';

/** What the present page is about. */
export interface PageSubject {
  readonly experiment: string | undefined;
  readonly unit: string | undefined;
}

/** What a note that is begun on a page is about: on the page of a unit that unit, in its experiment. */
export function noteTarget(page: PageSubject, assignments: readonly Assignment[]): PageSubject {
  if (page.unit === undefined) return page;
  const { experiment } = assignments.find(({ reactor_unit }) => reactor_unit === page.unit) ?? { experiment: null };
  return experiment === null ? { ...page, unit: undefined } : { experiment, unit: page.unit };
}
