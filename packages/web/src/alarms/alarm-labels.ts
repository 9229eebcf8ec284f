import { type Alarm, type AlarmAction, type AlarmSeverity, type AlarmState, alarmSeverities } from '@lcs/contract';

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
