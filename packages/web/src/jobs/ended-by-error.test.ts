import { expect, it } from 'vitest';
import { someAlarm } from '../testing/some-alarm.ts';
import { endedByError } from './ended-by-error.ts';

const alarm = (detail: string, more: Parameters<typeof someAlarm>[1] = {}) =>
  someAlarm(detail, { rule: 'job_ended_by_error', experiment: 'a', detail, ...more });

it('the newest open alarm that names the job in its experiment says why the job is off', () => {
  const alarms = [
    alarm('stirring'),
    alarm('dosing_automation', { alarm_id: 'old' }),
    alarm('dosing_automation', { alarm_id: 'new', since: '2026-05-02T10:00:00.000Z', state: 'returned' }),
    alarm('dosing_automation', { alarm_id: 'over', since: '2026-05-02T11:00:00.000Z', state: 'cleared' }),
    alarm('dosing_automation', { alarm_id: 'other', since: '2026-05-02T11:00:00.000Z', experiment: 'b' }),
    someAlarm('offline', { detail: 'dosing_automation', experiment: 'a', since: '2026-05-02T11:00:00.000Z' }),
  ];
  expect(endedByError(alarms, 'a', 'dosing_automation')?.alarm_id).toBe('new');
  expect(endedByError(alarms, 'a', 'od_reading')).toBeUndefined();
});
