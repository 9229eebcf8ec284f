import { validateExperimentName, validateTags } from '@lcs/domain';
import type { ProblemText } from '../api/problem.ts';

/** Why the leader would refuse a name; `null`: it would accept it. */
export function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const result = validateExperimentName(name);
  if (!result.ok) return result.cause;
  return taken.has(result.name) ? `${result.name} exists already. Pick another name.` : null;
}

export function tagsFault(tags: readonly string[]): string | null {
  const result = validateTags(tags);
  return result.ok ? null : result.cause;
}

/** The field of the form a refusal is about; `null`: it is about the whole. */
export function fieldOfProblem({ field }: ProblemText): 'name' | 'tags' | null {
  if (field === 'experiment') return 'name';
  return field === 'tags' ? 'tags' : null;
}

/** A refusal in one line, shown beside its field. */
export const faultText = ({ cause, remediation }: ProblemText): string => `${cause} ${remediation}`;
