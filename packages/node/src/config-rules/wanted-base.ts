import type { ConfigChange } from '@lcs/contract';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The versions (SHA-256 of a text) that a save may be based on, by its body or else by `if-match`, which may name several;
 * undefined: whatever is there is replaced.
 */
export function wantedBase(
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
