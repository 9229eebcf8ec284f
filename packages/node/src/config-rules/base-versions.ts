import type { ConfigChange } from '@lcs/contract';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The versions (SHA-256 of a text) that a save may be based on: of its body or else of `if-match`, which may list several. Undefined: any
 * version is replaced.
 */
export function baseVersions(
  { based_on }: Pick<ConfigChange, 'based_on'>,
  headers: Headers,
): readonly string[] | undefined {
  if (based_on) return [based_on];
  const tags = [headers['if-match'] ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
    .filter((tag) => tag !== '');
  return tags.length === 0 || tags.includes('*') ? undefined : tags;
}
