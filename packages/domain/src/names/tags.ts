import { characterCount, hasUnprintable } from './text.ts';
import { refused, type Verdict } from './verdict.ts';

const maxTags = 50;
const maxCharacters = 100;

/**
 * Tidies the tags of an experiment: trimmed, blank ones dropped, and of those that differ by case only the first spelling
 * kept. The order stays.
 */
export function checkTags(texts: readonly string[]): Verdict<{ readonly tags: readonly string[] }> {
  const bySpelling = new Map<string, string>();
  for (const text of texts) {
    const tag = text.trim();
    if (tag === '') continue;
    if (hasUnprintable(tag)) return refused('A tag holds a control character.');
    if (characterCount(tag) > maxCharacters) return refused(`A tag has more than ${maxCharacters} characters.`);
    const spelling = tag.toLowerCase();
    if (!bySpelling.has(spelling)) bySpelling.set(spelling, tag);
  }
  if (bySpelling.size > maxTags) return refused(`There are more than ${maxTags} tags.`);
  return { ok: true, tags: [...bySpelling.values()] };
}
