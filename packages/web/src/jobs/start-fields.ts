import type { FieldDescriptor, FieldOption } from '../forms/form-field.tsx';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import type { BiomassChoice } from './biomass-choices.ts';
import type { StartField } from './job-forms.ts';

const asConfigured = commonWords.default;
const switchOptions: readonly FieldOption[] = [
  { value: '', label: asConfigured },
  { value: 'yes', label: jobsWords.yes },
  { value: 'no', label: jobsWords.no },
];

const choicesOf = ({ choices, isRequired }: StartField): readonly FieldOption[] => {
  const options = choices.map((value) => ({ value, label: value }));
  return [{ value: '', label: isRequired ? commonWords.choose : asConfigured }, ...options];
};

/** What an empty field means: the value, where it is known. */
function defaultText({ initial, configured, unit }: StartField): string {
  const value = initial === '' ? configured : initial;
  if (value === null) return jobsWords.mayStayEmpty;
  const ofValue = typeof value === 'string' && unit !== null && value.includes(unit) ? null : unit;
  return jobsWords.defaultIs(
    [typeof value === 'number' ? digitsText(value, 4) : value, ofValue].filter((part) => part !== null).join(' '),
  );
}

/** The hint of a field: its meaning, the meaning of an empty value, and whether it takes several values. */
function hintOf(field: StartField, scale: BiomassChoice | null): string | undefined {
  const parts = [
    field.help,
    scale === null
      ? field.densityOf === 'chosen'
        ? jobsWords.chooseBiomassSignalFirst
        : null
      : jobsWords.scaleNow(scale.label, scale.now),
    field.isMultiple ? jobsWords.severalAreSeparatedByCommas : null,
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
