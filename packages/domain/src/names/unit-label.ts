import { characterCount, hasUnprintable } from './text.ts';
import { refused, type Verdict } from './verdict.ts';

const maxCharacters = 100;

/** Decides whether a unit may have this label in an experiment. `null` is kept for a blank one: the label is removed. */
export function checkUnitLabel(text: string): Verdict<{ readonly label: string | null }> {
  const label = text.trim();
  if (label === '') return { ok: true, label: null };
  if (hasUnprintable(label)) return refused('The label holds a control character.');
  if (characterCount(label) > maxCharacters) return refused(`The label has more than ${maxCharacters} characters.`);
  return { ok: true, label };
}
