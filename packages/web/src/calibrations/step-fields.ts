import type { SessionField } from '@lcs/contract';
import type { FieldDescriptor } from '../forms/form-field.tsx';

function hintOf({ minimum, maximum, help_text }: SessionField): string | undefined {
  const bounds = [
    ...(minimum === null ? [] : [`at least ${minimum}`]),
    ...(maximum === null ? [] : [`at most ${maximum}`]),
  ].join(', ');
  const sentences = [help_text ?? '', bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`];
  const text = sentences.filter((part) => part !== '').join(' ');
  return text === '' ? undefined : text;
}

/** A field of a step as a form shows it. */
export function fieldOf(field: SessionField): FieldDescriptor {
  const { name, label, field_type: type, options } = field;
  const shared = { name, label, hint: hintOf(field) };
  if (type === 'bool') return { ...shared, kind: 'switch', isCheckbox: true };
  if (type === 'choice')
    return { ...shared, kind: 'choice', options: (options ?? []).map((value) => ({ value, label: value })) };
  return { ...shared, kind: 'text', isNumeric: type === 'float' || type === 'int' };
}
