import type { Alarm, AlarmRuleParameter, AlarmState } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { withAlarm } from '../live/lists.ts';
import { someAlarm } from '../testing/some-alarm.ts';
import { byUrgency, ruleValueText } from './alarm-labels.ts';
import { isUnacknowledged } from './unacknowledged.ts';

const alarm = (alarm_id: string, state: AlarmState, about: Partial<Alarm> = {}): Alarm =>
  someAlarm(alarm_id, { state, reactor_unit: 'rx01', ...about });
const ids = (alarms: readonly Alarm[]) => alarms.map(({ alarm_id }) => alarm_id);

describe('alarms in the web UI', () => {
  it('are sorted by urgency', () => {
    const alarms = [
      alarm('shelved', 'shelved', { severity: 'critical' }),
      alarm('seen', 'acknowledged', { severity: 'critical' }),
      alarm('older', 'unacknowledged'),
      alarm('newer', 'unacknowledged', { since: '2026-05-02T10:00:00.000Z' }),
      alarm('worst', 'unacknowledged', { severity: 'critical' }),
      alarm('over', 'returned', { severity: 'critical' }),
    ];
    expect(ids(byUrgency(alarms))).toEqual(['worst', 'newer', 'older', 'over', 'seen', 'shelved']);
    expect(ids(alarms.filter(isUnacknowledged))).toEqual(['older', 'newer', 'worst', 'over']);
  });

  it('change in their place, come in front, and go when they are cleared', () => {
    const list = [alarm('a', 'unacknowledged'), alarm('b', 'unacknowledged')];
    expect(withAlarm(list, alarm('b', 'acknowledged'))[1]?.state).toBe('acknowledged');
    expect(ids(withAlarm(list, alarm('c', 'unacknowledged')))).toEqual(['c', 'a', 'b']);
    expect(ids(withAlarm(list, alarm('a', 'cleared')))).toEqual(['b']);
  });
});

describe('the value of a rule', () => {
  const limit = (name: string, value: number | null): AlarmRuleParameter => ({
    name,
    label: 'Limit',
    unit: 'mL',
    type: 'number',
    may_be_none: true,
    choices: null,
    minimum: null,
    maximum: null,
    default: 19,
    value,
  });

  it('is that of the model of each vial until somebody sets it', () => {
    const rule = 'volume_out_of_range';
    expect(ruleValueText(rule, limit('high', 19))).not.toContain('19');
    expect(ruleValueText(rule, limit('high', 17))).toBe('Limit: 17 mL');
    expect(ruleValueText(null, limit('high', 19))).toBe('Limit: 19 mL');
    expect(ruleValueText(rule, limit('low', 19))).toBe('Limit: 19 mL');
    expect(ruleValueText('temperature_out_of_range', limit('high', null))).toBe('Limit: no limit');
  });
});
