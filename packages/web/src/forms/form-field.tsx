import {
  Autocomplete,
  Checkbox,
  Group,
  NativeSelect,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { tagsOf } from './field-rules.ts';
import { limitsFault, NumberField } from './number-field.tsx';

/** The value of a field; a number that is not entered is the empty text. */
export type FieldValue = string | number | boolean | readonly string[];

export interface FieldOption {
  readonly value: string;
  readonly label: string;
}

interface TextKind {
  readonly kind: 'text';
  readonly isLong?: boolean;
  /** What was entered before. */
  readonly suggestions?: readonly string[];
  readonly isNumeric?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
}

interface NumberKind {
  readonly kind: 'number';
  /** Shown after the number. */
  readonly unit?: string | null;
  /** A number beyond the limits has a fault. */
  readonly min?: number;
  readonly max?: number;
  readonly isInteger?: boolean;
  readonly placeholder?: string;
}

interface ChoiceKind {
  readonly kind: 'choice';
  readonly options: readonly FieldOption[];
  /** Shows the browser's own control. */
  readonly isNative?: boolean;
}

interface TagsKind {
  readonly kind: 'tags';
  readonly suggestions?: readonly string[];
  /** A comma is part of a tag; otherwise it ends one. */
  readonly hasCommas?: boolean;
}

type Kind =
  | TextKind
  | NumberKind
  | ChoiceKind
  | TagsKind
  | { readonly kind: 'secret' }
  | { readonly kind: 'switch'; readonly isCheckbox?: boolean };

/** One field of a form, described by data. */
export type FieldDescriptor = Kind & {
  readonly name: string;
  readonly label: string;
  /** Shown below the label: the meaning, the range, what an empty field means. */
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
  /** Has the focus when the form opens. */
  readonly isFirst?: boolean;
};

/** The fields of a form; a list within the list is one row. */
export type FieldRows = readonly (FieldDescriptor | readonly FieldDescriptor[])[];

interface FormFieldProps {
  readonly field: FieldDescriptor;
  readonly value: FieldValue | undefined;
  /** Shown at the field; null or undefined: the value is valid. */
  readonly fault?: string | null | undefined;
  readonly size?: 'xs' | 'sm';
  readonly isDisabled?: boolean;
  readonly onChange: (value: FieldValue) => void;
  /** The focus has left the control. */
  readonly onLeave?: () => void;
}

/** The properties of all controls. */
interface ControlProps {
  readonly size: 'xs' | 'sm';
  readonly label: string;
  readonly onBlur?: () => void;
}

interface ControlledProps<Value> {
  readonly shared: ControlProps;
  readonly value: Value;
  readonly onChange: (value: FieldValue) => void;
}

function TextControl({ shared, field, value, onChange }: ControlledProps<string> & { readonly field: TextKind }) {
  const { isLong = false, isNumeric = false, maxLength, placeholder, suggestions } = field;
  const props = {
    ...shared,
    value,
    autoComplete: 'off',
    ...(maxLength !== undefined && { maxLength }),
    ...(placeholder !== undefined && { placeholder }),
    ...(isNumeric && { inputMode: 'decimal' as const }),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  };
  if (suggestions !== undefined)
    return (
      <Autocomplete
        {...props}
        onChange={onChange}
        data={[...suggestions]}
        withScrollArea={false}
        comboboxProps={{ withinPortal: false }}
      />
    );
  return isLong ? <Textarea {...props} autosize minRows={3} maxRows={10} /> : <TextInput {...props} />;
}

function ChoiceControl({ shared, field, value, onChange }: ControlledProps<string> & { readonly field: ChoiceKind }) {
  const data = [...field.options];
  return field.isNative ? (
    <NativeSelect {...shared} data={data} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <Select
      {...shared}
      data={data}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen ?? '')}
      comboboxProps={{ withinPortal: false }}
      withScrollArea={false}
    />
  );
}

/** Suggestions show while a tag is typed, so that they do not cover what is below. */
function TagsControl({
  shared,
  field,
  value,
  onChange,
}: ControlledProps<readonly string[]> & { readonly field: TagsKind }) {
  const [text, setText] = useState('');
  const [isListClosed, setListClosed] = useState(false);
  const suggestions = [...(field.suggestions ?? [])];
  return (
    <TagsInput
      {...shared}
      data={suggestions}
      {...(field.hasCommas && { splitChars: [] })}
      value={[...value]}
      // What is pasted may have several tags.
      onChange={(tags) => onChange(field.hasCommas ? tags : tagsOf(tags))}
      searchValue={text}
      onSearchChange={(next) => {
        setText(next);
        setListClosed(false);
      }}
      dropdownOpened={suggestions.length > 0 && text.trim() !== '' && !isListClosed}
      onDropdownClose={() => setListClosed(true)}
      withScrollArea={false}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

const numberProps = ({ unit = null, min, max, isInteger, placeholder }: NumberKind) => ({
  unit,
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
  ...(isInteger && { isInteger }),
  ...(placeholder !== undefined && { placeholder }),
});

/** Whether all numbers of a form are ones, and within the limits of their fields. */
export const areNumbersSound = (fields: FieldRows, valueNamed: (name: string) => FieldValue | undefined): boolean =>
  fields.flat().every((field) => {
    const value = valueNamed(field.name);
    if (field.kind !== 'number' || (typeof value !== 'number' && typeof value !== 'string')) return true;
    return limitsFault(numberProps(field), value) === null;
  });

const isList = (value: FieldValue | undefined): value is readonly string[] => Array.isArray(value);

/** The control of a field, with its label, hint and fault. */
export function FormField({ field, value, fault, size = 'sm', isDisabled, onChange, onLeave }: FormFieldProps) {
  const shared = {
    size,
    label: field.label,
    ...(field.hint && { description: field.hint }),
    ...(field.isRequired && { required: true }),
    ...(fault && { error: fault }),
    ...(isDisabled && { disabled: true }),
    ...(onLeave && { onBlur: onLeave }),
    ...(field.isFirst && { 'data-autofocus': true }),
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (field.kind) {
    case 'text':
      return <TextControl shared={shared} field={field} value={text} onChange={onChange} />;
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          value={text}
          autoComplete="new-password"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'number': {
      const number = typeof value === 'number' ? value : text;
      return <NumberField {...shared} {...numberProps(field)} value={number} onChange={onChange} />;
    }
    case 'choice':
      return <ChoiceControl shared={shared} field={field} value={text} onChange={onChange} />;
    case 'switch': {
      const Control = field.isCheckbox ? Checkbox : Switch;
      const isOn = value === true;
      return <Control {...shared} checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />;
    }
    case 'tags':
      return <TagsControl shared={shared} field={field} value={isList(value) ? value : []} onChange={onChange} />;
  }
}

/** The properties that `@mantine/form` gives for one field. */
interface FieldSource {
  readonly getInputProps: (name: string) => {
    readonly value?: FieldValue;
    readonly error?: string | null | undefined;
    readonly onChange: (value: FieldValue) => void;
  };
}

interface FormFieldsProps extends Pick<FormFieldProps, 'size' | 'isDisabled'> {
  readonly fields: FieldRows;
  readonly form: FieldSource;
}

/** The fields of a form, one below the other. */
export function FormFields({ fields, form, ...shared }: FormFieldsProps) {
  const one = (field: FieldDescriptor) => {
    const { value, error, onChange } = form.getInputProps(field.name);
    return <FormField key={field.name} {...shared} field={field} value={value} fault={error} onChange={onChange} />;
  };
  return fields.map((field) =>
    'name' in field ? (
      one(field)
    ) : (
      <Group key={field.map(({ name }) => name).join(' ')} grow align="start">
        {field.map(one)}
      </Group>
    ),
  );
}
