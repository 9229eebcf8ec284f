import { nearestName } from './nearest-name.ts';

/** The hint for an unknown name: the name that was probably meant, else all of them. */
export function nameHint(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  if (near !== undefined) return `Did you mean ${near}?`;
  return known.length === 0 ? 'There are none.' : `Use one of: ${known.join(', ')}.`;
}
