import { type AlarmRule, type AlarmRuleChange, type AlarmRuleParameter, alarmSeverities } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { plainWords } from '../api/plain-words.ts';
import { queryKeys } from '../api/query-keys.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { areNumbersSound, type FieldDescriptor, type FieldValue, FormFields } from '../forms/form-field.tsx';
import { useExperiments, useWorkers } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { uiWords } from '../words/ui.ts';
import { severityLabels } from './alarm-labels.ts';
import styles from './alarms.module.css';

interface RuleFormProps {
  readonly rule: AlarmRule;
  readonly onDone: () => void;
}

const severities = alarmSeverities.map((value) => ({ value, label: severityLabels[value] }));
const everywhere = 'all';

/** Parameters have names of their own, which may be those of other fields of the form. */
const fieldName = (parameter: string): string => `parameter:${parameter}`;

function fieldOf({ name, label, unit, type, choices, may_be_none }: AlarmRuleParameter): FieldDescriptor {
  const shared = { name: fieldName(name), label: unit === '' ? label : `${label} (${unit})` };
  if (type === 'choice')
    return {
      ...shared,
      kind: 'choice',
      options: (choices ?? []).map((value) => ({ value, label: plainWords(value) })),
    };
  return { ...shared, kind: 'number', ...(may_be_none && { placeholder: alarmsWords.noLimitInline }) };
}

type RuleValues = Record<string, FieldValue>;

const initialValues = (rule: AlarmRule): RuleValues => ({
  scope: everywhere,
  severity: rule.severity,
  is_enabled: rule.is_enabled,
  ...Object.fromEntries(rule.parameters.map(({ name, value }) => [fieldName(name), value ?? ''])),
});

/** The value of a parameter as it is sent; an empty field means no limit. */
function parameterValue({ type }: AlarmRuleParameter, value: FieldValue | undefined): AlarmRuleParameter['value'] {
  if (type === 'choice') return String(value);
  return typeof value === 'number' ? value : null;
}

interface RuleScope {
  readonly label: string;
  readonly scope: Pick<AlarmRuleChange, 'reactor_unit' | 'experiment'>;
}

/** What a change of a rule may apply to, by the value of the choice. */
function useScopes({ scope }: AlarmRule): ReadonlyMap<string, RuleScope> {
  const { data: workers = [] } = useWorkers();
  const { data: experiments = [] } = useExperiments();
  const nameOf = useUnitNames();
  const units = scope === 'cluster' ? [] : workers;
  const scopes = new Map<string, RuleScope>([[everywhere, { label: commonWords.all, scope: {} }]]);
  for (const { experiment } of scope === 'experiment' ? experiments : [])
    scopes.set(`experiment:${experiment}`, { label: alarmsWords.experimentNamed(experiment), scope: { experiment } });
  for (const { reactor_unit } of units)
    scopes.set(`unit:${reactor_unit}`, { label: commonWords.unitNamed(nameOf(reactor_unit)), scope: { reactor_unit } });
  return scopes;
}

/** The changed values of a rule; undefined: nothing is changed. */
function changeOf(rule: AlarmRule, { values, isDirty }: Pick<UseFormReturnType<RuleValues>, 'values' | 'isDirty'>) {
  const changed = rule.parameters.filter(({ name }) => isDirty(fieldName(name)));
  const severity = alarmSeverities.find((each) => each === values.severity) ?? rule.severity;
  const change: AlarmRuleChange = {
    ...(isDirty('severity') && { severity }),
    ...(isDirty('is_enabled') && { is_enabled: values.is_enabled === true }),
    ...(changed.length > 0 && {
      parameters: Object.fromEntries(
        changed.map((parameter) => [parameter.name, parameterValue(parameter, values[fieldName(parameter.name)])]),
      ),
    }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** Saves a change of a rule, or removes it, for all or for one experiment or unit. */
function useRuleCommands({ rule, version }: AlarmRule, scope: RuleScope['scope'], onDone: () => void) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const onSuccess = (stored: AlarmRule): void => {
    cache.setQueryData(queryKeys.alarmRules, (list) =>
      list?.map((other) => (other.rule === stored.rule ? stored : other)),
    );
    onDone();
  };
  const target = { ...scope, based_on: version };
  const save = useMutation({
    mutationFn: (change: AlarmRuleChange) =>
      leader.updateAlarmRule({ params: { rule }, body: { ...change, ...target } }),
    onSuccess,
  });
  const reset = useMutation({
    mutationFn: () => leader.resetAlarmRule({ params: { rule }, body: target }),
    onSuccess,
  });
  return { save, reset };
}

/** Changes a rule for all, or for one experiment or unit. Only changed values are sent. */
export function RuleForm({ rule, onDone }: RuleFormProps) {
  const scopes = useScopes(rule);
  const form = useForm({ initialValues: initialValues(rule) });
  const change = changeOf(rule, form);
  const chosen = String(form.values.scope);
  const { save, reset } = useRuleCommands(rule, scopes.get(chosen)?.scope ?? {}, onDone);
  const faultsOf = (error: unknown) =>
    Object.entries(
      fieldFaults(
        error,
        rule.parameters.map(({ name }) => name),
      ),
    ).map(([name, fault]) => [fieldName(name), fault] as const);
  const options = [...scopes].map(([value, { label }]) => ({ value, label }));
  const fields: readonly FieldDescriptor[] = [
    ...(scopes.size > 1 ? [{ kind: 'choice', name: 'scope', label: alarmsWords.for, options } as const] : []),
    { kind: 'choice', name: 'severity', label: alarmsWords.severity, options: severities },
    ...rule.parameters.map(fieldOf),
  ];
  const submit = form.onSubmit(() => {
    if (change === undefined) onDone();
    else save.mutate(change, { onError: (error) => form.setErrors(Object.fromEntries(faultsOf(error))) });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={alarmsWords.changeNamed(rule.title)}>
      <LeaveGuard what={uiWords.theRule(rule.title)} isUnsaved={change !== undefined} />
      <div className={styles.fields}>
        <FormFields size="xs" fields={fields} form={form} />
      </div>
      <FormFields fields={[{ kind: 'switch', name: 'is_enabled', label: alarmsWords.enabled }]} form={form} />
      {form.values.is_enabled !== true && (
        <Text size="sm" fw={600} role="status">
          {alarmsWords.ruleIsOff}
        </Text>
      )}
      {save.error && faultsOf(save.error).length === 0 && <ProblemAlert error={save.error} />}
      {reset.error && <ProblemAlert error={reset.error} />}
      <Group gap="xs" mt="sm">
        <Button
          size="xs"
          type="submit"
          loading={save.isPending}
          disabled={!areNumbersSound(fields, (name) => form.values[name])}
        >
          {commonWords.save}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          {commonWords.cancel}
        </Button>
        <Button size="xs" variant="subtle" loading={reset.isPending} onClick={() => reset.mutate()}>
          {alarmsWords.resetToDefault}
        </Button>
        {chosen === everywhere && rule.overrides.length > 0 && (
          <Text size="xs" c="dimmed">
            {alarmsWords.resetRemovesOverrides}
          </Text>
        )}
      </Group>
    </form>
  );
}
