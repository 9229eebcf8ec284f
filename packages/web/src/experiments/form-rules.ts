import { validateExperimentName, validateTags } from '@lcs/domain';
import type { ProblemText } from '../api/problem.ts';

/** What the leader would say about a name, before it is asked; `null`: nothing against it. */
export function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const verdict = validateExperimentName(name);
  if (!verdict.ok) return verdict.cause;
  return taken.has(verdict.name) ? `${verdict.name} exists already. Pick another name.` : null;
}

export function tagsFault(tags: readonly string[]): string | null {
  const verdict = validateTags(tags);
  return verdict.ok ? null : verdict.cause;
}

/** The field of the form a refusal is about; `null`: it is about the whole. */
export function fieldOfProblem({ code }: ProblemText): 'name' | 'tags' | null {
  switch (code) {
    case 'experiment_name_taken':
    case 'experiment_name_invalid':
      return 'name';
    case 'tags_invalid':
      return 'tags';
    default:
      return null;
  }
}

/** A refusal in one line, to stand beside its field. */
export const faultText = ({ cause, remediation }: ProblemText): string => `${cause} ${remediation}`;
