import type { LiveJob, RunningJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { plannedEnds } from './planned-ends.ts';
import { presentScales } from './present-scales.ts';
import {
  againTexts,
  isUndo,
  leftOffBy,
  optionsOf,
  profileExperiments,
  stoppedBy,
  withPlannedEnds,
  withPresentScales,
} from './start-again.ts';

const job = (job_name: string, settings: LiveJob['settings'] = {}, more: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit: 'unit1',
  experiment: 'a',
  job_name,
  job_id: 7,
  state: 'ready',
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings,
  ...more,
});

const dosing = job('dosing_automation', {
  automation_name: 'turbidostat',
  target_biomass: 0.4,
  exchange_volume_ml: 1,
  biomass_signal: 'od',
  latest_event: { event_name: 'DilutionEvent' },
});

it('the values of a running job start it again; what it measures does not', () => {
  expect(optionsOf(job('stirring', { target_rpm: 610, measured_rpm: { measured_rpm: 608 }, duty_cycle: 27 }))).toEqual({
    target_rpm: 610,
  });
  expect(optionsOf(dosing)).toEqual({
    automation_name: 'turbidostat',
    target_biomass: 0.4,
    exchange_volume_ml: 1,
    biomass_signal: 'od',
  });
});

it('of what can be started again, dosing is named: it may run pumps at once', () => {
  const again = stoppedBy({ what: 'everything', experiment: null }, [dosing, job('stirring')]);
  expect(againTexts(again)).toEqual([
    expect.stringMatching(/^2 jobs on 1 unit /),
    expect.stringContaining('unit1 (turbidostat, target 0.4): it may dose at once'),
  ]);
  expect(againTexts(stoppedBy({ what: 'everything', experiment: null }, [job('stirring')]))).toHaveLength(1);
  expect(againTexts([])).toEqual([]);
});

it('a stop ends running jobs of its scope; those that others use start first', () => {
  const jobs = [
    dosing,
    job('od_reading', {}, { experiment: 'b' }),
    job('stirring'),
    job('monitor'),
    job('led_automation', {}, { state: 'lost' }),
  ];
  const names = (what: 'pumps' | 'everything', experiment: string | null) =>
    stoppedBy({ what, experiment }, jobs).map(({ jobName }) => jobName);
  expect(names('everything', null)).toEqual(['stirring', 'od_reading', 'dosing_automation']);
  expect(names('everything', 'b')).toEqual(['od_reading']);
  expect(names('pumps', null)).toEqual(['dosing_automation']);
});

it('jobs of a running profile are not started again: it has planned their ends', () => {
  const jobs = [dosing, job('stirring', {}, { experiment: 'b' }), job('experiment_profile')];
  expect(stoppedBy({ what: 'everything', experiment: null }, jobs).map(({ jobName }) => jobName)).toEqual(['stirring']);
  expect([...profileExperiments(jobs)]).toEqual(['a']);
});

it('a planned end is kept; a job whose end has passed stays off', () => {
  const running = (job_name: string, ends_at?: string): RunningJob => ({
    job_id: 7,
    job_name,
    experiment: 'a',
    job_source: 'user',
    unit: 'unit1',
    reactor_unit: 'unit1',
    started_at: '2026-05-02T09:00:00.000Z',
    ended_at: null,
    is_running: 1,
    leader: 'lead',
    pid: 1,
    is_long_running_job: 0,
    state: 'ready',
    since: '2026-05-02T09:14:03.120Z',
    reason: null,
    ...(ends_at !== undefined && { ends_at }),
  });
  const later = '2026-05-02T12:00:00.000Z';
  const value = [
    running('stirring'),
    running('od_reading', later),
    running('dosing_automation', '2026-05-02T10:00:00.000Z'),
  ];
  const refusal = { error: 'No answer.', cause: '', remediation: '' };
  const ends = plannedEnds(
    new Map([
      ['unit1', { ok: true, value }],
      ['unit2', { ok: false, refusal }],
    ] as const),
  );
  const jobs = [job('stirring'), job('od_reading'), dosing, job('stirring', {}, { reactor_unit: 'unit2' })];
  const stopped = stoppedBy({ what: 'everything', experiment: null }, jobs);
  const nowMs = Date.parse('2026-05-02T11:00:00.000Z');
  const { again, unknown } = withPlannedEnds(stopped, ends, nowMs);
  expect(again.map(({ unit, jobName, endsAt }) => [unit, jobName, endsAt])).toEqual([
    ['unit1', 'stirring', undefined],
    ['unit1', 'od_reading', later],
  ]);
  // Without its planned end a job would run on.
  expect(unknown).toMatchObject([{ unit: 'unit2', jobName: 'stirring' }]);
  expect(withPlannedEnds(stopped, new Map(), nowMs)).toEqual({ again: [], unknown: stopped });
});

it('names what a stop ends and nothing starts again: what sleeps, is done by hand, or is of a plugin', () => {
  const jobs = [
    job('stirring', {}, { state: 'sleeping' }),
    job('led_intensity'),
    job('my_plugin'),
    job('od_reading'),
    job('monitor', {}, { experiment: '$experiment' }),
    job('add_media', {}, { experiment: 'b' }),
  ];
  const left = (what: 'pumps' | 'everything', experiment: string | null) =>
    leftOffBy({ what, experiment }, jobs).map(({ jobName }) => jobName);
  expect(left('everything', 'a')).toEqual(['stirring', 'led_intensity', 'my_plugin']);
  expect(left('pumps', null)).toEqual(['add_media']);
});

it('only a start at once undoes a stop; a later one, also after a reload, needs a decision about dilution', () => {
  const stoppedAtMs = Date.parse('2026-05-02T11:00:00.000Z');
  expect(isUndo(stoppedAtMs, stoppedAtMs)).toBe(true);
  expect(isUndo(stoppedAtMs, stoppedAtMs + 9_999)).toBe(true);
  expect(isUndo(stoppedAtMs, stoppedAtMs + 10_000)).toBe(false);
  expect(isUndo(stoppedAtMs, stoppedAtMs - 1)).toBe(false);
});

it('a target whose scale has changed since the stop is not started again', () => {
  const scaled = { ...dosing, settings: { ...dosing.settings, biomass_scale: 'od_calibrated' } };
  const stopped = stoppedBy({ what: 'everything', experiment: null }, [scaled, job('stirring')]);
  expect(stopped.map(({ biomass }) => biomass)).toEqual([undefined, { signal: 'od', scale: 'od_calibrated' }]);
  const od = { signal: 'od', label: 'OD', unit: 'AU', scale: 'od', value: null, measured_at: null };
  const answer = (scale: string) =>
    presentScales(
      new Map([
        ['unit1', { ok: true, value: { configured: 'auto', automatic: 'od', signals: [{ ...od, scale }] } }],
        ['unit2', { ok: true, value: {} }],
      ]),
    );
  expect([...answer('od').keys()]).toEqual(['unit1']);
  expect(withPresentScales(stopped, answer('od'))).toEqual({ again: [stopped[0]], rescaled: [stopped[1]] });
  for (const known of [answer('od_calibrated'), new Map()])
    expect(withPresentScales(stopped, known)).toEqual({ again: stopped, rescaled: [] });
});
