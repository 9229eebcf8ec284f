import type { DescribedSetting, Json } from '@lcs/contract';
import { Button, Group, NumberInput, Popover, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import styles from './adjust-setting.module.css';
import { fieldFault } from './job-forms.ts';

interface AdjustSettingProps {
  readonly setting: DescribedSetting;
  /** As the unit published it. */
  readonly value: Json;
  readonly owner: string;
  readonly isBusy: boolean;
  readonly onAdjust: (value: number) => void;
}

const shownValue = (value: Json): string =>
  value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** A published value; a click changes it, within its range. */
export function AdjustSetting({ setting, value, owner, isBusy, onAdjust }: AdjustSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<number | string>('');
  const text = `${shownValue(value)}${setting.unit === null ? '' : ` ${setting.unit.replace('℃', '°C')}`}`;
  if (!setting.editable || setting.type !== 'numeric') return <span className={styles.fixed}>{text}</span>;

  const fault = fieldFault({ ...setting, isRequired: true }, typed);
  const range =
    setting.min !== null && setting.max !== null
      ? `${setting.min} to ${setting.max}${setting.unit ? ` ${setting.unit}` : ''}`
      : '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault !== null || typeof typed !== 'number') return;
    setOpen(false);
    onAdjust(typed);
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
          aria-label={`${setting.label ?? setting.key} of ${owner}: ${text}. Change`}
          onClick={() => {
            setTyped(typeof value === 'number' ? value : '');
            setOpen(!isOpen);
          }}
        >
          {text}
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.box} aria-label={`${setting.label ?? setting.key} of ${owner}`}>
        <form onSubmit={submit} noValidate>
          <Stack gap="xs">
            <NumberInput
              size="sm"
              label={setting.label ?? setting.key}
              description={range && `From ${range}`}
              value={typed}
              onChange={setTyped}
              {...(fault !== null && typed !== '' ? { error: fault } : {})}
              suffix={setting.unit === null ? '' : ` ${setting.unit.replace('℃', '°C')}`}
              hideControls
              data-autofocus
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
