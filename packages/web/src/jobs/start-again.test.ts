import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { optionsOf, profileExperiments, stoppedBy } from './start-again.ts';

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
