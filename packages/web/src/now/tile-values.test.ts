import type { Alarm, Dose, JobDescriptor, LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { someAlarm } from '../testing/some-alarm.ts';
import { digitsText } from '../ui/number-text.ts';
import { alarmText, doseText, isPumped, jobDots, targetOf, targetText, worstAlarm } from './tile-values.ts';

const job = (job_name: string, state: LiveJob['state'] = 'ready', settings: LiveJob['settings'] = {}): LiveJob => ({
  reactor_unit: 'u1',
  experiment: 'a',
  job_name,
  state,
  job_id: 1,
  reason: null,
  settings,
  since: '2026-05-02T09:14:03.120Z',
});
const descriptor = (job_name: string, display_name: string): JobDescriptor => ({
  job_name,
  display_name,
  display: true,
  published_settings: [],
  source: null,
  description: null,
  subtext: null,
  is_testing: false,
});

it('jobs have the words and the order of the descriptors, those without one come last', () => {
  const descriptors = [descriptor('stirring', 'Stirring'), descriptor('od_reading', 'OD reading')];
  const dots = jobDots([job('my_plugin', 'lost'), job('od_reading', 'sleeping'), job('stirring')], descriptors);
  expect(dots.map(({ title, state }) => `${title}: ${state}`)).toEqual([
    'Stirring: on',
    'OD reading: paused',
    'My plugin: unknown – unit offline',
  ]);
});

describe('the target of a dosing', () => {
  const dosing = (settings: LiveJob['settings'], state?: LiveJob['state']) => [
    job('dosing_automation', state, settings),
  ];
  it('has the scale of its signal', () => {
    const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.4, biomass_signal: 'normalized_od' };
    const target = targetOf(dosing(turbidostat));
    expect(target).toMatchObject({ value: 0.4, signal: 'normalized_od' });
    expect(target && targetText(target)).toBe('Target 0.4 × start OD');
    expect(targetOf(dosing({ ...turbidostat, biomass_signal: 'od' }))).toMatchObject({ signal: 'od' });
  });
  it('is none for automations without one, and for dosing that does not run', () => {
    expect(targetOf(dosing({ automation_name: 'chemostat', exchange_volume_ml: 1 }))).toBeNull();
    expect(targetOf(dosing({ automation_name: 'turbidostat', target_biomass: 0.4 }, 'lost'))).toBeNull();
    expect(targetOf([])).toBeNull();
  });
});

it('the worst alarm of a unit is active, then severe, then new', () => {
  const alarm = (alarm_id: string, more: Partial<Alarm>): Alarm =>
    someAlarm(alarm_id, { rule: 'r', title: 't', severity: 'warning', ...more });
  const alarms = [
    alarm('old warning', {}),
    alarm('other unit', { reactor_unit: 'u2', severity: 'critical' }),
    alarm('shelved', { state: 'shelved', severity: 'critical' }),
    alarm('over', { state: 'returned', is_active: false, severity: 'critical' }),
    alarm('error', { severity: 'error', state: 'acknowledged' }),
    alarm('newer error', { severity: 'error', since: '2026-05-02T10:00:00.000Z' }),
  ];
  expect(worstAlarm(alarms, 'u1')?.alarm_id).toBe('newer error');
  expect(worstAlarm(alarms, 'u3')).toBeUndefined();
  // One that is over says so until somebody acknowledges it.
  expect([alarms[3], alarms[0]].map((each) => each && alarmText(each))).toEqual(['t (has ended)', 't']);
  // The end of a job names the job.
  const ended = alarm('ended', { rule: 'job_ended_by_error', detail: 'dosing_automation' });
  const returned = { ...ended, is_active: false };
  const held = { reactor_unit: 'u1', experiment: 'a', job_id: 3, since: ended.since, was_stopped: false };
  expect([
    alarmText(returned),
    alarmText(returned, [{ ...held, job_name: 'dosing_automation' }]),
    alarmText(returned, [{ ...held, job_name: 'stirring' }]),
  ]).toEqual(['t: Dosing (has ended)', 't: Dosing', 't: Dosing (has ended)']);
  expect(alarmText(ended)).toBe('t: Dosing');
});

it('a dose names its liquid', () => {
  const at = '2026-05-02T09:14:03.120Z';
  expect(doseText({ at, event: 'add_media', volume_ml: 0.7500001 })).toBe('0.75 mL medium');
  // As the leader's 0.4185, which is a little less than that, is shown elsewhere.
  expect(doseText({ at, event: 'add_media', volume_ml: 0.41852 })).toBe(`${digitsText(0.4185, 3)} mL medium`);
  expect(doseText({ at, event: 'add_alt_media', volume_ml: 1 })).toBe('1 mL alternative medium');
});

it('says that a dose is pumped while its pump runs', () => {
  const at = '2026-05-02T09:14:03.120Z';
  const dose: Dose = { at, event: 'add_media', volume_ml: 0.25 };
  const nowMs = (seconds: number) => Date.parse(at) + seconds * 1000;
  const running = (job_name: string): readonly LiveJob[] => [job(job_name)];
  expect(isPumped(dose, running('add_media'), nowMs(3))).toBe(true);
  // An earlier dose, before the first piece of the present one.
  expect(isPumped(dose, running('add_media'), nowMs(6))).toBe(false);
  expect(isPumped(dose, running('stirring'), nowMs(1))).toBe(false);
  expect(isPumped(dose, running('dosing_automation'), nowMs(1))).toBe(true);
  expect(isPumped(dose, running('dosing_automation'), nowMs(3))).toBe(false);
});
