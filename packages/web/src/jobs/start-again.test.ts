import type { LiveJob, RecentStop } from '@lcs/contract';
import { restartOptions } from '@lcs/domain';
import { expect, it } from 'vitest';
import { presentScales } from './present-scales.ts';
import {
  againTexts,
  isStartedAgain,
  isUndo,
  leftOffBy,
  leftOffByAll,
  profileExperiments,
  profilesAfter,
  restBeforeStart,
  stoppedBy,
  stoppedByAll,
  withPresentScales,
} from './start-again.ts';

const nameOf = (unit: string): string => unit;

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
  expect(
    restartOptions(job('stirring', { target_rpm: 610, measured_rpm: { measured_rpm: 608 }, duty_cycle: 27 })),
  ).toEqual({
    target_rpm: 610,
  });
  expect(restartOptions(dosing)).toEqual({
    automation_name: 'turbidostat',
    target_biomass: 0.4,
    exchange_volume_ml: 1,
    biomass_signal: 'od',
  });
});

it('of what can be started again, dosing is named: it may run pumps at once', () => {
  const again = stoppedBy({ what: 'everything', experiment: null }, [dosing, job('stirring')]);
  expect(againTexts(again, nameOf)).toEqual([
    expect.stringMatching(/^2 jobs on 1 unit /),
    expect.stringContaining('unit1 (turbidostat, target 0.4): it may dose at once'),
  ]);
  expect(againTexts(stoppedBy({ what: 'everything', experiment: null }, [job('stirring')]), nameOf)).toHaveLength(1);
  expect(againTexts([], nameOf)).toEqual([]);
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

const stopOf = (
  stop_id: string,
  what: RecentStop['what'],
  jobs: readonly LiveJob[],
  more: Partial<RecentStop> = {},
): RecentStop => ({
  stop_id,
  at: '2026-05-02T10:30:00.000Z',
  by: 'user',
  what,
  experiment: null,
  reactor_units: null,
  jobs: jobs.map(({ reactor_unit, experiment, job_name, state, settings }) => ({
    experiment,
    job_name,
    state,
    settings,
    reactor_units: [reactor_unit],
  })),
  ...more,
});
const nowMs = Date.parse('2026-05-02T11:00:00.000Z');

it('a planned end is kept; a job whose end has passed stays off', () => {
  const later = '2026-05-02T12:00:00.000Z';
  const jobs = [
    job('stirring'),
    job('od_reading', { $ends_at: later }),
    job('dosing_automation', { $ends_at: '2026-05-02T10:45:00.000Z' }),
  ];
  expect(
    stoppedByAll([stopOf('one', 'everything', jobs)], nowMs).map(({ jobName, endsAt }) => [jobName, endsAt]),
  ).toEqual([
    ['stirring', undefined],
    ['od_reading', later],
  ]);
});

it('pumps stopped first and everything afterwards start again together, each once', () => {
  const first = stopOf('one', 'pumps', [dosing], { at: '2026-05-02T10:59:30.000Z' });
  const second = stopOf('two', 'everything', [dosing, job('stirring'), job('my_plugin')], {
    at: '2026-05-02T10:59:58.000Z',
  });
  const again = stoppedByAll([first, second], nowMs);
  expect(again.map(({ jobName }) => jobName)).toEqual(['stirring', 'dosing_automation']);
  // Whether a start undoes the stop depends on when the job itself was stopped.
  expect(again.map(({ stoppedAtMs }) => isUndo(stoppedAtMs, nowMs))).toEqual([true, false]);
  expect(leftOffByAll([first, second, second])).toEqual([{ unit: 'unit1', jobName: 'my_plugin' }]);
  expect(stoppedByAll([], nowMs)).toEqual([]);
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

it('after stops of pumps the profiles are named that still run, each once', () => {
  const profile = job('experiment_profile', {}, { reactor_unit: 'lead' });
  const stops = [
    stopOf('one', 'pumps', [profile]),
    stopOf('two', 'pumps', [profile]),
    stopOf('three', 'everything', []),
  ];
  expect(profilesAfter(stops, [profile])).toEqual(['a']);
  expect(profilesAfter(stops, [])).toEqual([]);
});

it('after the stop of a profile only what has ended with it is started again', () => {
  const stop = stopOf('profile-7', 'profile', [job('stirring'), dosing, job('my_plugin')], { experiment: 'a' });
  const now = [job('stirring')];
  expect(stoppedByAll([stop], nowMs, now).map(({ jobName }) => jobName)).toEqual(['dosing_automation']);
  expect(leftOffByAll([stop], [...now, job('my_plugin')])).toEqual([]);
});

it('names what heats among what is started again', () => {
  const thermostat = job('temperature_automation', { automation_name: 'thermostat', target_temperature: 37 });
  const recording = job(
    'temperature_automation',
    { automation_name: 'only_record_temperature' },
    { reactor_unit: 'u2' },
  );
  const texts = againTexts(stoppedByAll([stopOf('one', 'everything', [thermostat, recording])], nowMs), (unit) => unit);
  expect(texts.filter((text) => /37 °C/.test(text))).toHaveLength(1);
  expect(texts.some((text) => /u2/.test(text))).toBe(false);
});

it('knows whether all that was stopped runs again', () => {
  const stop = stopOf('one', 'everything', [job('stirring'), dosing, job('my_plugin')]);
  expect(isStartedAgain(stop, [job('stirring')])).toBe(false);
  expect(isStartedAgain(stop, [job('stirring'), job('dosing_automation', {}, { state: 'lost' })])).toBe(false);
  expect(isStartedAgain(stop, [job('stirring'), dosing])).toBe(true);
});

it('a start waits until a second has passed since the stop: the stopped job may just have been started', () => {
  const stopped = (stoppedAtMs: number) => ({
    unit: 'unit1',
    experiment: 'a',
    jobName: 'stirring',
    options: {},
    stoppedAtMs,
  });
  expect(restBeforeStart([stopped(10_000), stopped(9_000)], 10_200)).toBe(1_000);
  expect(restBeforeStart([stopped(10_000)], 15_000)).toBe(0);
  // The clock of the page may be behind.
  expect(restBeforeStart([stopped(10_000)], 0)).toBe(1_200);
});
