import {
  type Alarm,
  type AlarmAction,
  type AlarmRuleParameter,
  type AlarmSeverity,
  type AlarmState,
  alarmSeverities,
} from '@lcs/contract';
import { builtInAlarmRules, hasModelDefault } from '@lcs/domain';
import { plainWords } from '../api/plain-words.ts';
import { startWords } from '../words/start.ts';

export const stateLabels: { readonly [State in AlarmState]: string } = startWords.stateLabels;

export const severityLabels: { readonly [Severity in AlarmSeverity]: string } = startWords.severityLabels;

export const actionLabels: { readonly [Action in AlarmAction]: string } = startWords.actionLabels;

const urgency: { readonly [State in AlarmState]: number } = {
  unacknowledged: 0,
  returned: 1,
  acknowledged: 2,
  shelved: 3,
  cleared: 4,
};

/** The most urgent alarm first: by state, severity and age. */
export const byUrgency = (alarms: readonly Alarm[]): readonly Alarm[] =>
  [...alarms].sort(
    (left, right) =>
      urgency[left.state] - urgency[right.state] ||
      alarmSeverities.indexOf(right.severity) - alarmSeverities.indexOf(left.severity) ||
      (left.since < right.since ? 1 : -1),
  );

/** `Lower limit: 2 mL`; @param rule whose general value it is; null: the value of one unit or experiment */
export function ruleValueText(
  rule: string | null,
  { name, label, unit, value, default: usual }: AlarmRuleParameter,
): string {
  const definition = builtInAlarmRules.find((each) => each.rule === rule);
  // Until somebody sets it, each unit has that of its model.
  if (definition !== undefined && value === usual && hasModelDefault(definition, name))
    return startWords.byModelOfVial(label);
  if (value === null) return startWords.noLimitNamed(label);
  return `${label}: ${typeof value === 'string' ? plainWords(value) : value}${unit === '' ? '' : ` ${unit}`}`;
}
