import { validateExperimentName, validateTags } from '@lcs/domain';

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
