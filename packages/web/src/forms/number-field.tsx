import { Text, TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { numberFromText, valueText } from '../ui/number-text.ts';
import { type NumberLimits, numberFault } from './field-rules.ts';

/** What a number may be; a value beyond the limits stays as it is typed, with a fault. */
type Limits = Partial<Pick<NumberLimits, 'unit' | 'min' | 'max' | 'isInteger'>>;

interface NumberFieldProps
  extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'min' | 'max' | 'step'>,
    Limits {
  /** The empty text: no value; another text: what was typed and is not a number. */
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
  /** What the arrow keys add. */
  readonly step?: number;
}

/** Why a value of a field with these limits cannot be used; an empty field can. */
export const limitsFault = ({ unit = null, min, max, isInteger = false }: Limits, value: number | string) =>
  numberFault({ isRequired: false, unit, min: min ?? null, max: max ?? null, isInteger }, value);

/** A control for a number. What is typed or pasted is never changed: it means a number, or the field says that it does not. */
export function NumberField({
  value,
  onChange,
  unit = null,
  min,
  max,
  isInteger,
  step = 1,
  ...rest
}: NumberFieldProps) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: number | string }>();
  const shown = typed?.value === value ? typed.text : typeof value === 'number' ? valueText(value) : value;
  const limits = {
    unit,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(isInteger && { isInteger }),
  };
  const enter = (text: string): void => {
    const entered = text.trim() === '' ? '' : (numberFromText(text, undefined, unit ?? '') ?? text);
    setTyped({ text, value: entered });
    onChange(entered);
  };
  const stepBy = (event: KeyboardEvent<HTMLInputElement>): void => {
    rest.onKeyDown?.(event);
    const sign = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (sign === 0 || event.defaultPrevented) return;
    event.preventDefault();
    if (typeof value !== 'number') return;
    const next = Number((value + sign * step).toPrecision(12));
    if (limitsFault({ ...limits, isInteger: false }, next) === null) onChange(next);
  };
  return (
    <TextInput
      autoComplete="off"
      inputMode="decimal"
      {...(unit !== null && {
        'aria-description': unit,
        rightSection: (
          <Text size="sm" c="dimmed" aria-hidden>
            {unit}
          </Text>
        ),
        rightSectionWidth: `${unit.length + 2}ch`,
        rightSectionPointerEvents: 'none' as const,
      })}
      {...rest}
      error={rest.error || limitsFault(limits, value)}
      value={shown}
      onChange={(event) => enter(event.currentTarget.value)}
      onKeyDown={stepBy}
    />
  );
}
