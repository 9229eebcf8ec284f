import { Button, Group, NumberInput, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { fieldFault, type ShownJob, type StartField, startOptions } from './job-forms.ts';

interface StartJobProps {
  readonly shown: ShownJob;
  /** On which unit or units, in words. */
  readonly where: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStart: (options: Record<string, number | string>) => void;
}

interface FieldsProps {
  readonly fields: readonly StartField[];
  readonly values: Readonly<Record<string, number | ''>>;
  readonly isTried: boolean;
  readonly onChange: (name: string, value: number | '') => void;
}

function Fields({ fields, values, isTried, onChange }: FieldsProps) {
  return fields.map((field, index) => {
    const fault = fieldFault(field, values[field.name]);
    const isShown = fault !== null && (isTried || (values[field.name] ?? '') !== '');
    return (
      <NumberInput
        key={field.name}
        label={field.label}
        description={field.isRequired ? undefined : 'Empty: as configured'}
        required={field.isRequired}
        value={values[field.name] ?? ''}
        onChange={(value) => onChange(field.name, typeof value === 'number' ? value : '')}
        suffix={field.unit === null ? '' : ` ${field.unit.replace('℃', '°C')}`}
        {...(isShown ? { error: fault } : {})}
        hideControls
        data-autofocus={index === 0 || undefined}
      />
    );
  });
}

/** Asks what a job needs to know before it starts; what is left empty stays as configured. */
export function StartJob({ shown, where, isOpen, onClose, onStart }: StartJobProps) {
  const { form } = shown;
  const [variantName, setVariant] = useState(form.variants[0]?.name ?? null);
  const [values, setValues] = useState<Readonly<Record<string, number | ''>>>({});
  const [isTried, setTried] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const variant = form.variants.find(({ name }) => name === variantName);
  const fields = [...form.fields, ...(variant?.fields ?? [])];
  const shownFields = fields.filter(({ isMain }) => isMain || showsAll);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (fields.some((field) => fieldFault(field, values[field.name]) !== null)) return;
    onStart(startOptions(form, variantName, values));
  };
  return (
    <Dialog title={`Start ${shown.title} on ${where}`} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {shown.help}
          </Text>
          {form.variants.length > 0 && (
            <Radio.Group label="What it does" value={variantName} onChange={setVariant}>
              <Stack gap={6} mt={6}>
                {form.variants.map(({ name, label, help }) => (
                  <Radio key={name} value={name} label={label} description={help} />
                ))}
              </Stack>
            </Radio.Group>
          )}
          <Fields
            fields={shownFields}
            values={values}
            isTried={isTried}
            onChange={(name, value) => setValues({ ...values, [name]: value })}
          />
          {!showsAll && fields.length > shownFields.length && (
            <Button variant="default" size="xs" w="fit-content" onClick={() => setShowsAll(true)}>
              More options
            </Button>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Start</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
