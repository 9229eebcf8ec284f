import type { ConfigChange } from '@lcs/contract';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The version (SHA-256 of its text) that a save is based on, by its body or else by `if-match`; undefined: whatever is there
 * is replaced.
 */
export function wantedBase({ based_on }: Pick<ConfigChange, 'based_on'>, headers: Headers): string | undefined {
  if (based_on) return based_on;
  const match = [headers['if-match'] ?? []].flat().join(',').trim();
  return match === '' || match === '*' ? undefined : match.replace(/^W\//, '').replaceAll('"', '');
}
