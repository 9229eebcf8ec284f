import type { Alarm } from '@lcs/contract';

/** An active alarm of a unit that nobody has acknowledged, with what a test is about. */
export const someAlarm = (alarm_id: string, about: Partial<Alarm> = {}): Alarm => ({
  alarm_id,
  rule: 'unit_offline',
  title: 'Unit offline',
  severity: 'error',
  state: 'unacknowledged',
  is_active: true,
  reactor_unit: 'u1',
  experiment: null,
  detail: null,
  message: 'm',
  since: '2026-05-02T09:14:03.120Z',
  occurrences: 1,
  returned_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
  comment: null,
  shelved_until: null,
  cleared_at: null,
  ...about,
});
