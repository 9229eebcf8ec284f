import { NativeSelect, NumberInput, TextInput } from '@mantine/core';
import type { BiomassChoice } from './biomass-choices.ts';
import type { StartField } from './job-forms.ts';

interface JobFieldProps {
  readonly field: StartField;
  readonly value: number | string;
  /** What is wrong with it; `null`: nothing, or nothing to say yet. */
  readonly fault: string | null;
  readonly isFirst: boolean;
  /** The scale of a density; `null`: it is none, or nobody has chosen it. */
  readonly scale: BiomassChoice | null;
  readonly onChange: (value: number | string) => void;
}

const asConfigured = 'As configured';
const switchWords = [
  { value: '', label: asConfigured },
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

const choicesOf = ({ choices, isRequired }: StartField) => {
  const words = choices.map((value) => ({ value, label: value }));
  return [{ value: '', label: isRequired ? 'Choose' : asConfigured }, ...words];
};

/** What is said below the name of a field: what it means, what an empty one means, and that it takes several. */
function describe(field: StartField, scale: BiomassChoice | null): string | undefined {
  const parts = [
    field.help,
    scale === null
      ? field.densityOf === 'chosen'
        ? 'Choose the biomass signal first.'
        : null
      : `${scale.label} now: ${scale.now}.`,
    field.isMultiple ? 'Several are separated by commas.' : null,
    field.isRequired || field.kind === 'switch' || field.kind === 'choice' ? null : 'Empty: as configured.',
  ].filter((part) => part !== null);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** One control of a form that starts a job. */
export function JobField({ field, value, fault, isFirst, scale, onChange }: JobFieldProps) {
  const unit = field.densityOf === null ? field.unit : (scale?.unit ?? null);
  const common = {
    label: field.label,
    description: describe(field, scale),
    required: field.isRequired,
    ...(fault === null ? {} : { error: fault }),
    'data-autofocus': isFirst || undefined,
  };
  if (field.kind === 'choice' || field.kind === 'switch')
    return (
      <NativeSelect
        {...common}
        data={field.kind === 'switch' ? switchWords : choicesOf(field)}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (field.kind === 'text')
    return <TextInput {...common} value={String(value)} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <NumberInput
      {...common}
      value={value}
      onChange={onChange}
      suffix={unit === null ? '' : ` ${unit}`}
      allowDecimal={!field.isInteger}
      hideControls
    />
  );
}
