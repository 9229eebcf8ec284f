import type { UiRequest } from '../ui-contract/page.ts';
import { requestTitle } from '../ui-contract/page.ts';

/**
 * An answer that the specification or a fact sheet shows: the same request with data of ours has exactly these keys, with these
 * kinds of values.
 */
export interface Example {
  /** `SP` the specification, `L1` and `L2` the sheets of the leader, `U` that of units, `J` that of jobs; with the section. */
  readonly sources: readonly string[];
  readonly of: 'leader' | 'unit';
  readonly request: UiRequest;
}

export const exampleTitle = ({ of, request }: Example): string => `${of}: ${requestTitle(request)}`;
