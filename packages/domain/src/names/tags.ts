import { characterCount, hasUnprintable, invalid, type Validated } from './validation.ts';

const maxTags = 50;
const maxCharacters = 100;

/**
 * Validates and normalises the tags of an experiment: trims them, removes blank ones, and of tags that differ only by case keeps
 * the first spelling. The order stays.
 */
export function validateTags(texts: readonly string[]): Validated<{ readonly tags: readonly string[] }> {
  const bySpelling = new Map<string, string>();
  for (const text of texts) {
    const tag = text.trim();
    if (tag === '') continue;
    if (hasUnprintable(tag)) return invalid('A tag must not have control characters.');
    if (characterCount(tag) > maxCharacters) return invalid(`A tag must have at most ${maxCharacters} characters.`);
    const spelling = tag.toLowerCase();
    if (!bySpelling.has(spelling)) bySpelling.set(spelling, tag);
  }
  if (bySpelling.size > maxTags) return invalid(`An experiment must have at most ${maxTags} tags.`);
  return { ok: true, tags: [...bySpelling.values()] };
}
