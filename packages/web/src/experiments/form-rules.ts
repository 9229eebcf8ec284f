import { validateExperimentName, validateTags } from '@lcs/domain';
import type { ProblemText } from '../api/problem.ts';

/** Why a name is invalid; `null`: it is valid. */
export function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const result = validateExperimentName(name);
  if (!result.ok) return result.cause;
  return taken.has(result.name) ? `${result.name} exists already. Pick another name.` : null;
}

export function tagsFault(tags: readonly string[]): string | null {
  const result = validateTags(tags);
  return result.ok ? null : result.cause;
}

/** The field that the leader refused; `null`: the refusal is about no field. */
export function fieldOfProblem({ field }: ProblemText): 'name' | 'tags' | null {
  if (field === 'experiment') return 'name';
  return field === 'tags' ? 'tags' : null;
}

/** A refusal in one line, shown at its field. */
export const faultText = ({ cause, remediation }: ProblemText): string => `${cause} ${remediation}`;
