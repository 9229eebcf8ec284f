import type { SessionField } from '@lcs/contract';
import type { FieldDescriptor, FieldValue } from '../forms/form-field.tsx';
import { numberFromText, valueText } from '../ui/number-text.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { formsWords } from '../words/forms.ts';

function hintOf({ minimum, maximum, help_text }: SessionField): string | undefined {
  const bounds = [
    ...(minimum === null ? [] : [calibrationsWords.atLeast(valueText(minimum))]),
    ...(maximum === null ? [] : [calibrationsWords.atMost(valueText(maximum))]),
  ].join(', ');
  const sentences = [help_text ?? '', bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`];
  const text = sentences.filter((part) => part !== '').join(' ');
  return text === '' ? undefined : text;
}

/** What is entered, as the unit reads it: numbers with a decimal point. */
export const inputsOf = (fields: readonly SessionField[], values: Readonly<Record<string, FieldValue>>) =>
  Object.fromEntries(
    fields.map(({ name, field_type: type }) => {
      const value = values[name];
      return [
        name,
        type === 'float' && typeof value === 'string' ? (numberFromText(value)?.toString() ?? value) : value,
      ];
    }),
  );

/** The fields whose number is not clear, such as `1,234` in English; an empty one is for the unit to judge. */
export const unclearNumbers = (
  fields: readonly SessionField[],
  values: Readonly<Record<string, FieldValue>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap(({ name, field_type: type }) => {
      const value = values[name];
      if ((type !== 'float' && type !== 'int') || typeof value !== 'string' || value.trim() === '') return [];
      return numberFromText(value) === undefined ? [[name, formsWords.notNumber(valueText(1234.5))] as const] : [];
    }),
  );

/** A field of a step as a form shows it. */
export function fieldOf(field: SessionField): FieldDescriptor {
  const { name, label, field_type: type, options } = field;
  const shared = { name, label, hint: hintOf(field) };
  if (type === 'bool') return { ...shared, kind: 'switch', isCheckbox: true };
  if (type === 'choice')
    return { ...shared, kind: 'choice', options: (options ?? []).map((value) => ({ value, label: value })) };
  return { ...shared, kind: 'text', isNumeric: type === 'float' || type === 'int' };
}
