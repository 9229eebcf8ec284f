import { characterCount, hasUnprintable, invalid, type Validated } from './validation.ts';

const maxCharacters = 100;

/** Validates and trims the label of a unit in an experiment. A blank label becomes `null`, which removes the label. */
export function validateUnitLabel(text: string): Validated<{ readonly label: string | null }> {
  const label = text.trim();
  if (label === '') return { ok: true, label: null };
  if (hasUnprintable(label)) return invalid('The label must not have control characters.');
  if (characterCount(label) > maxCharacters) return invalid(`The label must have at most ${maxCharacters} characters.`);
  return { ok: true, label };
}
