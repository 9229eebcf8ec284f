import type { Capability, LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { dependentsOf } from './dependents.ts';

const job = (job_name: string, settings: LiveJob['settings'] = {}, state: LiveJob['state'] = 'ready'): LiveJob => ({
  reactor_unit: 'rx01',
  experiment: 'e',
  job_name,
  job_id: 1,
  state,
  since: '2026-11-26T10:00:00.000Z',
  reason: null,
  settings,
});
const capability = (job_name: string, uses_jobs: string[]): Capability => ({
  job_name,
  help: '',
  arguments: [],
  options: [],
  published_settings: {},
  cli_example: '',
  uses_jobs,
});
const titles = (name: string, jobs: readonly LiveJob[], capabilities: readonly Capability[] = []) =>
  dependentsOf(name, { jobs, capabilities, descriptors: [] }).map(({ title }) => title);

it('names running jobs that need the stopped one, with their automation, also while the unit has not reported them', () => {
  const dosing = job('dosing_automation', { automation_name: 'turbidostat', biomass_signal: 'od' });
  const jobs = [job('stirring'), job('od_reading', {}, 'sleeping'), dosing, job('growth_rate_calculating', {}, 'lost')];
  expect(titles('stirring', jobs)).toEqual(['Dosing automation – Turbidostat', 'Od reading']);
  expect(titles('dosing_automation', jobs)).toEqual([]);
});

it('names the jobs of plugins by what the unit reports', () => {
  const jobs = [job('od_reading'), job('air_bubbler')];
  expect(titles('od_reading', jobs)).toEqual([]);
  expect(titles('od_reading', jobs, [capability('air_bubbler', ['od_reading'])])).toEqual(['Air bubbler']);
});
