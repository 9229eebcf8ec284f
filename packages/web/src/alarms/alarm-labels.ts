import {
  type Alarm,
  type AlarmAction,
  type AlarmRuleParameter,
  type AlarmSeverity,
  type AlarmState,
  alarmSeverities,
} from '@lcs/contract';
import { builtInAlarmRules, hasModelDefault } from '@lcs/domain';
import { plainWords } from '../ui/plain-words.ts';

export const stateLabels: { readonly [State in AlarmState]: string } = {
  unacknowledged: 'Not acknowledged',
  acknowledged: 'Acknowledged',
  returned: 'Cleared, not acknowledged',
  cleared: 'Cleared',
  shelved: 'Muted',
};

export const severityLabels: { readonly [Severity in AlarmSeverity]: string } = {
  warning: 'Warning',
  error: 'Error',
  critical: 'Critical',
};

export const actionLabels: { readonly [Action in AlarmAction]: string } = {
  raised: 'Raised',
  raised_again: 'Raised again',
  returned: 'Returned to normal',
  acknowledged: 'Acknowledged',
  shelved: 'Muted',
  unshelved: 'Unmuted',
  shelf_ended: 'Muting ended',
  cleared: 'Cleared',
};

/** Whether nobody has acknowledged the alarm yet. */
export const isUnacknowledged = ({ state }: Alarm): boolean => state === 'unacknowledged' || state === 'returned';

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
    return `${label}: by the model of the vial`;
  if (value === null) return `${label}: no limit`;
  return `${label}: ${typeof value === 'string' ? plainWords(value) : value}${unit === '' ? '' : ` ${unit}`}`;
}
