import type { Capability, LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { dependentsOf, dependentsOnUnits } from './dependents.ts';

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
  expect(titles('stirring', jobs)).toEqual(['Dosing – Turbidostat', 'OD reading']);
  expect(titles('dosing_automation', jobs)).toEqual([]);
});

it('says of each what it does: without readings it waits, without the stirrer it goes on with doubtful ones', () => {
  const dosing = job('dosing_automation', { automation_name: 'turbidostat', biomass_signal: 'od' });
  const jobs = [job('stirring'), job('od_reading'), job('growth_rate_calculating'), dosing];
  const effects = (name: string) => dependentsOf(name, { jobs, capabilities: [], descriptors: [] });
  expect(effects('od_reading')).toMatchObject([
    { name: 'growth_rate_calculating', effect: expect.stringContaining('waits') },
    { name: 'dosing_automation', effect: expect.stringContaining('doses nothing') },
  ]);
  for (const { effect } of effects('stirring')) expect(effect).toContain('doubtful');
});

it('says that a thermostat without the stirrer heats a vial unevenly', () => {
  const thermostat = job('temperature_automation', { automation_name: 'thermostat' });
  expect(dependentsOf('stirring', { jobs: [thermostat], capabilities: [], descriptors: [] })).toMatchObject([
    { name: 'temperature_automation', effect: expect.stringContaining('uneven') },
  ]);
});

it('names the jobs of plugins by what the unit reports', () => {
  const jobs = [job('od_reading'), job('air_bubbler')];
  expect(titles('od_reading', jobs)).toEqual([]);
  expect(titles('od_reading', jobs, [capability('air_bubbler', ['od_reading'])])).toEqual(['Air bubbler']);
});

it('names the dependent jobs of several units once, with their units', () => {
  const growth = { name: 'growth_rate_calculating', title: 'Growth rate', effect: 'waits' };
  const dosing = (automation: string) => ({
    name: 'dosing_automation',
    title: `Dosing – ${automation}`,
    effect: 'waits and doses nothing',
  });
  const ofUnit = new Map([
    ['rx01', [dosing('Turbidostat'), growth]],
    ['rx02', [growth]],
    ['rx03', [dosing('Morbidostat'), growth]],
  ]);
  const found = dependentsOnUnits(['rx01', 'rx02', 'rx03', 'rx04'], (unit) => ofUnit.get(unit) ?? []);
  expect(found).toEqual([
    {
      ...dosing('Turbidostat, Dosing – Morbidostat'),
      units: ['rx01', 'rx03'],
    },
    { ...growth, units: ['rx01', 'rx02', 'rx03'] },
  ]);
  // None stops before one that needs it, on any of the units.
  const names = dependentsOnUnits(['rx02', 'rx01'], (unit) => ofUnit.get(unit) ?? []).map(({ name }) => name);
  expect(names).toEqual(['dosing_automation', 'growth_rate_calculating']);
});
