import { type AlarmRule, type AlarmRuleChange, type AlarmRuleParameter, alarmSeverities } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import {
  type FieldDescriptor,
  type FieldValue,
  FormField,
  FormFields,
  type FormValues,
  useFormValues,
} from '../forms/form-field.tsx';
import { useExperiments, useWorkers } from '../services/queries.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { severityLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';

interface RuleFormProps {
  readonly rule: AlarmRule;
  readonly onDone: () => void;
}

type Place = Pick<AlarmRuleChange, 'reactor_unit' | 'experiment'>;

const severities = alarmSeverities.map((value) => ({ value, label: severityLabels[value] }));
const everywhere = 'all';

/** Parameters have names of their own, which may be those of other fields of the form. */
const fieldName = (parameter: string): string => `parameter ${parameter}`;

function fieldOf({ name, label, unit, type, choices, may_be_none }: AlarmRuleParameter): FieldDescriptor {
  const shared = { name: fieldName(name), label: unit === '' ? label : `${label} (${unit})` };
  if (type === 'choice')
    return { ...shared, kind: 'choice', options: (choices ?? []).map((value) => ({ value, label: value })) };
  return { ...shared, kind: 'number', ...(may_be_none && { placeholder: 'no limit' }) };
}

const startOf = (rule: AlarmRule): FormValues => ({
  where: everywhere,
  severity: rule.severity,
  is_enabled: rule.is_enabled,
  ...Object.fromEntries(rule.parameters.map(({ name, value }) => [fieldName(name), value ?? ''])),
});

/** The value of a parameter as it is sent; what is not a number means no limit. */
function parameterValue({ type }: AlarmRuleParameter, value: FieldValue | undefined): AlarmRuleParameter['value'] {
  if (type === 'choice') return String(value);
  return typeof value === 'number' ? value : null;
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
  const { values, set, isTyped } = useFormValues(() => startOf(rule));
  const changed = rule.parameters.filter(({ name }) => isTyped(fieldName(name)));
  const isChanged = changed.length > 0 || isTyped('severity') || isTyped('is_enabled');
  useUnsavedWork(isChanged);
  const where = String(values.where);
  const severity = alarmSeverities.find((each) => each === values.severity) ?? rule.severity;
  const place = places.get(where)?.place ?? {};
  const onSuccess = (stored: AlarmRule): void => {
    cache.setQueryData(queryKeys.alarmRules, (list) =>
      list?.map((other) => (other.rule === stored.rule ? stored : other)),
    );
    onDone();
  };
  const save = useMutation({
    mutationFn: () =>
      leader.updateAlarmRule({
        params: { rule: rule.rule },
        body: {
          ...place,
          ...(isTyped('severity') && { severity }),
          ...(isTyped('is_enabled') && { is_enabled: values.is_enabled === true }),
          ...(changed.length > 0 && {
            parameters: Object.fromEntries(
              changed.map((parameter) => [
                parameter.name,
                parameterValue(parameter, values[fieldName(parameter.name)]),
              ]),
            ),
          }),
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
  const faults = fieldFaults(
    save.error,
    rule.parameters.map(({ name }) => name),
  );
  const named = Object.fromEntries(Object.entries(faults).map(([name, fault]) => [fieldName(name), fault]));
  const options = [...places].map(([value, { label }]) => ({ value, label }));
  const fields: readonly FieldDescriptor[] = [
    ...(places.size > 1 ? [{ kind: 'choice', name: 'where', label: 'For', options } as const] : []),
    { kind: 'choice', name: 'severity', label: 'Severity', options: severities },
    ...rule.parameters.map(fieldOf),
  ];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) save.mutate();
    else onDone();
  };
  return (
    <form onSubmit={submit} noValidate aria-label={`Change ${rule.title}`}>
      <div className={styles.fields}>
        <FormFields size="xs" fields={fields} values={values} faults={named} onChange={set} />
      </div>
      <FormField
        field={{ kind: 'switch', name: 'is_enabled', label: 'Switched on' }}
        value={values.is_enabled}
        onChange={(value) => set('is_enabled', value)}
      />
      {save.error && Object.keys(faults).length === 0 && <ProblemAlert error={save.error} />}
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
