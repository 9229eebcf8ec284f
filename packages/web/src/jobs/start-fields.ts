import type { FieldDescriptor, FieldOption } from '../forms/form-field.tsx';
import { digitsText } from '../ui/number-text.ts';
import type { BiomassChoice } from './biomass-choices.ts';
import type { StartField } from './job-forms.ts';

const asConfigured = 'Default';
const switchOptions: readonly FieldOption[] = [
  { value: '', label: asConfigured },
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

const choicesOf = ({ choices, isRequired }: StartField): readonly FieldOption[] => {
  const options = choices.map((value) => ({ value, label: value }));
  return [{ value: '', label: isRequired ? 'Choose' : asConfigured }, ...options];
};

/** What an empty field means: the value, where it is known. */
function defaultText({ initial, configured, unit }: StartField): string {
  const value = initial === '' ? configured : initial;
  if (value === null) return 'Empty: the configured default.';
  return `Default: ${[typeof value === 'number' ? digitsText(value, 4) : value, unit].filter((part) => part !== null).join(' ')}.`;
}

/** The hint of a field: its meaning, the meaning of an empty value, and whether it takes several values. */
function hintOf(field: StartField, scale: BiomassChoice | null): string | undefined {
  const parts = [
    field.help,
    scale === null
      ? field.densityOf === 'chosen'
        ? 'Choose the biomass signal first.'
        : null
      : `${scale.label} now: ${scale.now}.`,
    field.isMultiple ? 'Several are separated by commas.' : null,
    field.isRequired || field.kind === 'switch' || field.kind === 'choice' ? null : defaultText(field),
  ].filter((part) => part !== null);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/**
 * A field of the form that starts a job, as a form shows it.
 * @param scale the scale of a density; null: the field is not a density, or no scale is chosen
 */
export function descriptorOf(field: StartField, scale: BiomassChoice | null, isFirst: boolean): FieldDescriptor {
  const { name, label, kind, isRequired, isInteger, densityOf } = field;
  const shared = { name, label, hint: hintOf(field, scale), isRequired, isFirst };
  switch (kind) {
    case 'choice':
    case 'switch': {
      const options = kind === 'switch' ? switchOptions : choicesOf(field);
      return { ...shared, kind: 'choice', isNative: true, options };
    }
    case 'number': {
      const unit = densityOf === null ? field.unit : (scale?.unit ?? null);
      return { ...shared, kind: 'number', unit, isInteger };
    }
    default:
      return { ...shared, kind: 'text' };
  }
}
