import type { Json } from '@lcs/contract';
import { biomassSignalSetting } from '@lcs/domain';
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { numberFault, unitText } from '../forms/field-rules.ts';
import { type FieldDescriptor, FormField } from '../forms/form-field.tsx';
import styles from './adjust-setting.module.css';
import { signalLabel } from './biomass-choices.ts';
import type { ShownSetting } from './job-catalog.ts';

interface AdjustSettingProps {
  readonly setting: ShownSetting;
  /** The value that the unit published. */
  readonly value: Json;
  readonly owner: string;
  readonly isBusy: boolean;
  readonly onAdjust: (value: number | string | boolean) => void;
}

/** The label of a value of a setting. */
const wordOf = ({ key }: ShownSetting, word: string): string =>
  key === biomassSignalSetting ? signalLabel(word) : word;

const shownValue = (value: Json): string => {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const yesOrNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

/** The first value of the control. */
function typedOf(setting: ShownSetting, value: Json): number | string {
  if (setting.type === 'numeric') return typeof value === 'number' ? value : '';
  if (setting.type === 'boolean') return value === true || value === 1 ? 'yes' : 'no';
  return typeof value === 'string' ? value : '';
}

/** Why a new value cannot be sent; `null`: it can. */
function faultOf(setting: ShownSetting, typed: number | string): string | null {
  if (setting.type === 'numeric') return numberFault({ ...setting, isRequired: true }, typed);
  return String(typed).trim() === '' ? 'A value is needed.' : null;
}

/** The field of a setting as a form shows it. */
function fieldOf(setting: ShownSetting): FieldDescriptor {
  const { key, label, type, choices, min, max } = setting;
  const shared = { name: key, label: label ?? key, isFirst: true };
  const options = type === 'boolean' ? yesOrNo : choices.map((value) => ({ value, label: wordOf(setting, value) }));
  if (options.length > 0) return { ...shared, kind: 'choice', isNative: true, options };
  if (type === 'string') return { ...shared, kind: 'text' };
  const unit = unitText(setting.unit);
  const range = min !== null && max !== null ? `From ${min} to ${max}${unit === null ? '' : ` ${unit}`}` : '';
  return { ...shared, kind: 'number', unit, hint: range };
}

/** A published value; a click changes it, within its range. */
export function AdjustSetting({ setting, value, owner, isBusy, onAdjust }: AdjustSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<number | string>('');
  const unit = unitText(setting.unit);
  const text = `${wordOf(setting, shownValue(value))}${unit === null ? '' : ` ${unit}`}`;
  if (!setting.editable || setting.type === 'json') return <span className={styles.fixed}>{text}</span>;

  const name = setting.label ?? setting.key;
  const fault = faultOf(setting, typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault !== null) return;
    setOpen(false);
    onAdjust(setting.type === 'boolean' ? typed === 'yes' : typeof typed === 'string' ? typed.trim() : typed);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      position="bottom-end"
      withinPortal={false}
      shadow="md"
      width={260}
    >
      <Popover.Target>
        <button
          type="button"
          className={styles.value}
          disabled={isBusy}
          aria-label={`${name} of ${owner}: ${text}. Change`}
          onClick={() => {
            setTyped(typedOf(setting, value));
            setOpen(!isOpen);
          }}
        >
          {text}
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.box} aria-label={`${name} of ${owner}`}>
        <form onSubmit={submit} noValidate>
          <Stack gap="xs">
            <FormField
              field={fieldOf(setting)}
              value={typed}
              fault={typed === '' ? null : fault}
              onChange={(value) => setTyped(typeof value === 'number' ? value : String(value))}
            />
            {setting.description !== '' && (
              <Text size="xs" c="dimmed">
                {setting.description}
              </Text>
            )}
            <Group justify="flex-end" gap="xs">
              <Button size="xs" variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button size="xs" type="submit" disabled={fault !== null}>
                Change
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
