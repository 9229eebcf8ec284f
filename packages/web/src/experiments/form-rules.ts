import { validateExperimentName, validateTags } from '@lcs/domain';
import { experimentsWords } from '../words/experiments.ts';

/** Why a name is invalid; `null`: it is valid. */
export function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  const result = validateExperimentName(name);
  if (!result.ok) return result.cause;
  return taken.has(result.name) ? experimentsWords.existsAlready(result.name) : null;
}

export function tagsFault(tags: readonly string[]): string | null {
  const result = validateTags(tags);
  return result.ok ? null : result.cause;
}
