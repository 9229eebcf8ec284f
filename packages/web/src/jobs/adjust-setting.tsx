import { type Json, leaderApi } from '@lcs/contract';
import { biomassSignalSetting } from '@lcs/domain';
import { Alert, Button, Group, Popover, Stack, Text } from '@mantine/core';
import { type FormEvent, useCallback, useEffect, useMemo, useState } from 'react';
import { labelFromName, numberFault, unitText } from '../forms/field-rules.ts';
import { type FieldDescriptor, FormField } from '../forms/form-field.tsx';
import { useJobs } from '../services/queries.ts';
import { useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { valueText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import styles from './adjust-setting.module.css';
import { signalLabel } from './biomass-choices.ts';
import { Consequences } from './consequences.tsx';
import type { ShownSetting } from './job-catalog.ts';
import { doseFault } from './job-forms.ts';
import { settingText } from './setting-text.ts';
import { TargetQuestion } from './target-question.tsx';
import { useSettingConsequences } from './use-setting-consequences.ts';

interface AdjustSettingProps {
  readonly setting: ShownSetting;
  /** The value that the unit published. */
  readonly value: Json;
  readonly owner: string;
  readonly isBusy: boolean;
  readonly onAdjust: (value: number | string | boolean) => void;
  /** The job whose setting it is. */
  readonly of: RunningJob;
}

interface RunningJob {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
  readonly job: string;
}

/** The label of a value of a setting. */
const labelOfValue = ({ key }: ShownSetting, text: string): string =>
  key === biomassSignalSetting ? signalLabel(text) : text;

const yesOrNo = [
  { value: 'yes', label: jobsWords.yes },
  { value: 'no', label: jobsWords.no },
];

/** The first value of the control. */
function initialEntry(setting: ShownSetting, value: Json): number | string {
  if (setting.type === 'numeric') return typeof value === 'number' ? value : '';
  if (setting.type === 'boolean') return value === true || value === 1 ? 'yes' : 'no';
  return typeof value === 'string' ? value : '';
}

/** Why a new value cannot be sent; `null`: it can. */
function faultOf(setting: ShownSetting, entered: number | string): string | null {
  if (setting.type === 'numeric')
    return numberFault({ ...setting, isRequired: true }, entered) ?? doseFault(setting.key, entered);
  return String(entered).trim() === '' ? commonWords.valueIsNeeded : null;
}

/** The field of a setting as a form shows it. */
function fieldOf(setting: ShownSetting): FieldDescriptor {
  const { key, label, type, choices, min, max } = setting;
  const shared = { name: key, label: label ?? key, isFirst: true };
  const options =
    type === 'boolean' ? yesOrNo : choices.map((value) => ({ value, label: labelOfValue(setting, value) }));
  if (options.length > 0) return { ...shared, kind: 'choice', isNative: true, options };
  if (type === 'string') return { ...shared, kind: 'text' };
  const unit = unitText(setting.unit);
  const range =
    min !== null && max !== null
      ? jobsWords.range(valueText(min), valueText(max), unit === null ? '' : ` ${unit}`)
      : '';
  return { ...shared, kind: 'number', unit, hint: range };
}

interface SettingFormProps extends Pick<AdjustSettingProps, 'setting' | 'value' | 'onAdjust'> {
  /** What a value means, beside the button. */
  readonly consequencesOf?: (value: number | string) => readonly string[];
  /** What a person confirms before the value is sent; none: nothing. */
  readonly questionsOf?: (value: number | string) => readonly string[];
  /** Differs when somebody has changed the setting; absent: the value itself. */
  readonly version?: string;
  /** Whether there is something that the value can be sent to. */
  readonly isReady?: boolean;
  /** When the value is sent. */
  readonly onClose: () => void;
  /** When nothing is to be sent; absent: as `onClose`. */
  readonly onCancel?: () => void;
}

/** Changes a setting within its range. */
export function SettingForm({
  setting,
  value,
  onAdjust,
  isReady = true,
  onClose,
  onCancel = onClose,
  consequencesOf,
  questionsOf,
  version = JSON.stringify(value),
}: SettingFormProps) {
  const [entered, setEntered] = useState(() => initialEntry(setting, value));
  /** The entry that the unit has or that was sent. */
  const [sent, setSent] = useState(entered);
  /** The version that the person has seen. */
  const [seen, setSeen] = useState(version);
  const [asked, setAsked] = useState<number | string | null>(null);
  const isEdited = entered !== sent;
  useUnsavedWork(isEdited);
  const take = (): void => {
    const present = initialEntry(setting, value);
    setEntered(present);
    setSent(present);
    setSeen(version);
  };
  const isOvertaken = seen !== version && isEdited;
  useEffect(() => {
    if (seen === version || isEdited) return;
    // Nothing is typed, or the change is that of this form, which some of several units may have refused.
    if (value !== null) {
      setEntered(initialEntry(setting, value));
      setSent(initialEntry(setting, value));
    }
    setSeen(version);
  }, [seen, version, isEdited, setting, value]);
  const fault = faultOf(setting, entered);
  const consequences = fault === null ? (consequencesOf?.(entered) ?? []) : [];
  const questions = fault === null ? (questionsOf?.(entered) ?? []) : [];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault !== null || !isReady || isOvertaken) return;
    if (questions.length > 0) setAsked(entered);
    else send();
  };
  const send = (): void => {
    setSent(entered);
    setAsked(null);
    onClose();
    onAdjust(setting.type === 'boolean' ? entered === 'yes' : typeof entered === 'string' ? entered.trim() : entered);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <FormField
          field={fieldOf(setting)}
          value={entered}
          fault={entered === '' ? null : fault}
          onChange={(changed) => setEntered(typeof changed === 'number' ? changed : String(changed))}
        />
        {setting.description !== '' && (
          <Text size="xs" c="dimmed">
            {setting.description}
          </Text>
        )}
        {isOvertaken && (
          <Alert color="orange" variant="light" icon={<WarningIcon />} role="alert">
            <Text size="sm">
              {value === null ? jobsWords.changedMeanwhileOnSome : jobsWords.changedMeanwhile(settingText(value))}
            </Text>
            <Group gap="xs" mt={4}>
              {value !== null && (
                <Button size="xs" variant="default" onClick={take}>
                  {jobsWords.takeTheirs(settingText(value))}
                </Button>
              )}
              <Button size="xs" variant="default" onClick={() => setSeen(version)}>
                {jobsWords.keepMine}
              </Button>
            </Group>
          </Alert>
        )}
        {consequences.length > 0 && <Consequences texts={consequences} />}
        {asked === entered && questions.length > 0 && (
          <TargetQuestion texts={questions} action="change" onConfirm={send} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onCancel}>
            {commonWords.cancel}
          </Button>
          <Button size="xs" type="submit" disabled={fault !== null || !isReady || isOvertaken}>
            {commonWords.change}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The form with what a new value does to the liquid of the unit. */
function FormOfJob({ of, ...form }: SettingFormProps & Pick<AdjustSettingProps, 'of'>) {
  const { unit, unitName, experiment, job } = of;
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => unitName, [unitName]);
  const jobs = useJobs() ?? [];
  const meaning = useSettingConsequences({ job, key: form.setting.key, experiment, units, nameOf, jobs });
  return <SettingForm {...form} {...meaning} />;
}

/** A published value; a click opens the form that changes it. */
export function AdjustSetting({ setting, value, owner, isBusy, onAdjust, of }: AdjustSettingProps) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const unit = unitText(setting.unit);
  const text = `${labelOfValue(setting, settingText(value))}${unit === null ? '' : ` ${unit}`}`;
  const name = setting.label ?? labelFromName(setting.key);
  const content = (
    <>
      <span className={styles.label}>{name}</span> <span>{text}</span>
    </>
  );
  if (!setting.editable || setting.type === 'json') return <span className={styles.fixed}>{content}</span>;

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
          // Begins with what is visible, for people who speak to their device.
          aria-label={jobsWords.changeSettingOf(name, text, owner)}
          onClick={() => setOpen(!isOpen)}
          {...may(leaderApi.updateWorkerJob)}
        >
          {content}
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.box} aria-label={commonWords.partOfWhole(name, owner)}>
        <FormOfJob {...{ setting, value, onAdjust, of }} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
