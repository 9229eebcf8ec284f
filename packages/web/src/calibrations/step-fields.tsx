import type { SessionField } from '@lcs/contract';
import { Checkbox, Select, TextInput } from '@mantine/core';

interface StepFieldProps {
  readonly field: SessionField;
  readonly value: string | boolean;
  readonly fault: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (value: string | boolean) => void;
}

function boundsOf({ minimum, maximum, help_text }: SessionField): string | undefined {
  const bounds = [
    ...(minimum === null ? [] : [`at least ${minimum}`]),
    ...(maximum === null ? [] : [`at most ${maximum}`]),
  ].join(', ');
  const said = [help_text ?? '', bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`];
  const text = said.filter((part) => part !== '').join(' ');
  return text === '' ? undefined : text;
}

/** One thing to be entered in a step, with what is wrong beside it. */
export function StepField({ field, value, fault, isDisabled, onChange }: StepFieldProps) {
  const { label, field_type: type, options } = field;
  const bounds = boundsOf(field);
  const shared = {
    label,
    disabled: isDisabled,
    ...(bounds && { description: bounds }),
    ...(fault && { error: fault }),
  };
  if (type === 'bool')
    return (
      <Checkbox {...shared} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
    );
  if (type === 'choice')
    return (
      <Select
        {...shared}
        data={[...(options ?? [])]}
        value={String(value)}
        allowDeselect={false}
        onChange={(chosen) => onChange(chosen ?? '')}
        comboboxProps={{ withinPortal: false }}
      />
    );
  const isNumber = type === 'float' || type === 'int';
  return (
    <TextInput
      {...shared}
      {...(isNumber && { inputMode: 'decimal' as const })}
      value={String(value)}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
