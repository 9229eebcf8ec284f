import type { AlarmRule, AlarmRuleChange, AlarmRuleParameter, AlarmSeverity } from '@lcs/contract';
import { alarmSeverities } from '@lcs/contract';
import { Button, Group, NumberInput, Select, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useExperiments, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useUnsavedWork } from '../services/use-unsaved-work.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { fieldFaults, severityWords } from './alarm-words.ts';
import styles from './alarms.module.css';

interface RuleFormProps {
  readonly rule: AlarmRule;
  readonly onDone: () => void;
}

type Value = AlarmRuleParameter['value'];
type Place = Pick<AlarmRuleChange, 'reactor_unit' | 'experiment'>;

const severities = alarmSeverities.map((value) => ({ value, label: severityWords[value] }));
const everywhere = 'all';

interface FieldProps {
  readonly parameter: AlarmRuleParameter;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly error: string | undefined;
}

function Field({ parameter, value, onChange, error }: FieldProps) {
  const { label, unit, type, choices, may_be_none } = parameter;
  const fault = error === undefined ? {} : { error };
  if (type === 'choice')
    return (
      <Select
        size="xs"
        label={label}
        data={choices ?? []}
        value={String(value)}
        allowDeselect={false}
        onChange={(chosen) => onChange(chosen)}
        comboboxProps={{ withinPortal: false }}
        {...fault}
      />
    );
  return (
    <NumberInput
      size="xs"
      label={unit === '' ? label : `${label} (${unit})`}
      {...(may_be_none ? { placeholder: 'no limit' } : {})}
      value={typeof value === 'number' ? value : ''}
      onChange={(typed) => onChange(typeof typed === 'number' ? typed : null)}
      hideControls
      {...fault}
    />
  );
}

/** Where a rule may be set apart: the values of the choice and what they stand for. */
function usePlaces({ scope }: AlarmRule): ReadonlyMap<string, { readonly label: string; readonly place: Place }> {
  const { data: workers = [] } = useWorkers();
  const { data: experiments = [] } = useExperiments();
  const units = scope === 'cluster' ? [] : workers;
  const open = scope === 'experiment' ? experiments : [];
  return new Map<string, { readonly label: string; readonly place: Place }>([
    [everywhere, { label: 'All', place: {} }],
    ...open.map(
      ({ experiment }) =>
        [`experiment:${experiment}`, { label: `Experiment ${experiment}`, place: { experiment } }] as const,
    ),
    ...units.map(
      ({ reactor_unit }) =>
        [`unit:${reactor_unit}`, { label: `Unit ${reactor_unit}`, place: { reactor_unit } }] as const,
    ),
  ]);
}

/** Changes a rule: for all, or apart for one experiment or unit. Only what was changed is sent. */
export function RuleForm({ rule, onDone }: RuleFormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const places = usePlaces(rule);
  const [where, setWhere] = useState(everywhere);
  const [severity, setSeverity] = useState<AlarmSeverity>(rule.severity);
  const [isEnabled, setIsEnabled] = useState(rule.is_enabled);
  const [typed, setTyped] = useState<Readonly<Record<string, Value>>>({});
  const isTyped = Object.keys(typed).length > 0 || severity !== rule.severity || isEnabled !== rule.is_enabled;
  useUnsavedWork(isTyped);
  const place = places.get(where)?.place ?? {};
  const onSuccess = (changed: AlarmRule): void => {
    cache.setQueryData(queryKeys.alarmRules, (list) =>
      list?.map((other) => (other.rule === changed.rule ? changed : other)),
    );
    onDone();
  };
  const save = useMutation({
    mutationFn: () =>
      leader.updateAlarmRule({
        params: { rule: rule.rule },
        body: {
          ...place,
          ...(severity !== rule.severity && { severity }),
          ...(isEnabled !== rule.is_enabled && { is_enabled: isEnabled }),
          ...(Object.keys(typed).length > 0 && { parameters: { ...typed } }),
          based_on: rule.version,
        },
      }),
    onSuccess,
  });
  const reset = useMutation({
    mutationFn: () =>
      leader.resetAlarmRule({ params: { rule: rule.rule }, body: { ...place, based_on: rule.version } }),
    onSuccess,
  });
  const faults = fieldFaults(save.error, 'parameter');
  const isShown = Object.keys(faults).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTyped) save.mutate();
    else onDone();
  };
  return (
    <form onSubmit={submit} noValidate aria-label={`Change ${rule.title}`}>
      <div className={styles.fields}>
        {places.size > 1 && (
          <Select
            size="xs"
            label="For"
            data={[...places].map(([value, { label }]) => ({ value, label }))}
            value={where}
            allowDeselect={false}
            onChange={(value) => setWhere(value ?? everywhere)}
            comboboxProps={{ withinPortal: false }}
          />
        )}
        <Select
          size="xs"
          label="Severity"
          data={severities}
          value={severity}
          allowDeselect={false}
          onChange={(value) => setSeverity(alarmSeverities.find((known) => known === value) ?? severity)}
          comboboxProps={{ withinPortal: false }}
        />
        {rule.parameters.map((parameter) => (
          <Field
            key={parameter.name}
            parameter={parameter}
            value={parameter.name in typed ? (typed[parameter.name] ?? null) : parameter.value}
            onChange={(value) => setTyped({ ...typed, [parameter.name]: value })}
            error={faults[parameter.name]}
          />
        ))}
      </div>
      <Switch
        size="sm"
        label="Switched on"
        checked={isEnabled}
        onChange={(event) => setIsEnabled(event.currentTarget.checked)}
      />
      {save.error && !isShown && <ProblemAlert error={save.error} />}
      {reset.error && <ProblemAlert error={reset.error} />}
      <Group gap="xs" mt="sm">
        <Button size="xs" type="submit" loading={save.isPending}>
          Save
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button size="xs" variant="subtle" loading={reset.isPending} onClick={() => reset.mutate()}>
          Back to the default
        </Button>
        {where === everywhere && rule.overrides.length > 0 && (
          <Text size="xs" c="dimmed">
            The default takes back what was set for single units and experiments too.
          </Text>
        )}
      </Group>
    </form>
  );
}
