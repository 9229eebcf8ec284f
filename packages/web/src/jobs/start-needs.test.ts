import type { LiveJob } from '@lcs/contract';
import { builtInJobDescriptors } from '@lcs/domain';
import { expect, it } from 'vitest';
import { lackingJobs, neededJobs, stoppedNeeds } from './start-needs.ts';

const job = (job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  reactor_unit: 'u1',
  experiment: 'a',
  job_name,
  state,
  job_id: 1,
  reason: null,
  settings: {},
  since: '2026-05-02T09:14:03.120Z',
});
const needs = (name: string, jobs: readonly LiveJob[]) =>
  neededJobs(name, { jobs, capabilities: [], descriptors: builtInJobDescriptors }).map((each) => each.name);

it('a growth rate needs readings of OD, and these need the stirrer; what runs is not missing', () => {
  expect(needs('growth_rate_calculating', [])).toEqual(['stirring', 'od_reading']);
  expect(needs('growth_rate_calculating', [job('od_reading', 'disconnected'), job('stirring', 'lost')])).toEqual([
    'od_reading',
  ]);
  expect(needs('growth_rate_calculating', [job('od_reading'), job('stirring')])).toEqual([]);
  expect(needs('od_reading', [])).toEqual(['stirring']);
  expect(needs('stirring', [])).toEqual([]);
});

it('a running turbidostat needs the job of its signal, and what that needs', () => {
  const off = (signal: string, jobs: readonly LiveJob[]) => {
    const settings = { automation_name: 'turbidostat', biomass_signal: signal };
    const dosing = { ...job('dosing_automation'), settings };
    const facts = { jobs: [dosing, ...jobs], capabilities: [], descriptors: builtInJobDescriptors };
    return stoppedNeeds(dosing, facts).map((each) => each.name);
  };
  expect(off('od', [])).toEqual(['stirring', 'od_reading']);
  expect(off('od', [job('od_reading'), job('stirring')])).toEqual([]);
  expect(off('normalized_od', [job('growth_rate_calculating'), job('stirring')])).toEqual(['od_reading']);
});

it('running jobs of a unit that lack others are named with these', () => {
  const settings = { automation_name: 'turbidostat', biomass_signal: 'od' };
  const dosing = { ...job('dosing_automation'), settings };
  const lacking = (jobs: readonly LiveJob[]) =>
    lackingJobs({ jobs, capabilities: [], descriptors: builtInJobDescriptors }).map(({ name, off }) => [
      name,
      off.map((each) => each.name),
    ]);
  expect(lacking([dosing])).toEqual([['dosing_automation', ['stirring', 'od_reading']]]);
  expect(lacking([dosing, job('stirring'), job('od_reading')])).toEqual([]);
  expect(lacking([{ ...dosing, state: 'disconnected' }])).toEqual([]);
  expect(lacking([dosing, job('od_reading')])).toEqual([
    ['od_reading', ['stirring']],
    ['dosing_automation', ['stirring']],
  ]);
  const heating = (automation_name: string) => ({ ...job('temperature_automation'), settings: { automation_name } });
  expect(lacking([heating('thermostat')])).toEqual([['temperature_automation', ['stirring']]]);
  expect(lacking([heating('thermostat'), job('stirring')])).toEqual([]);
  expect(lacking([heating('only_record_temperature')])).toEqual([]);
});
