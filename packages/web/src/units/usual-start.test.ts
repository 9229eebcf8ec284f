import type { Capability, LiveJob } from '@lcs/contract';
import { builtInAutomations, builtInJobs } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { shownJobs } from '../jobs/job-catalog.ts';
import {
  isTemperatureValid,
  lacksUsualJob,
  missingStarts,
  profileConsequences,
  usualConsequences,
  usualPlan,
} from './usual-start.ts';

const experiment = 'e';
const units = ['u1', 'u2', 'u3'];
const job = (reactor_unit: string, job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  reactor_unit,
  experiment,
  job_name,
  job_id: 1,
  state,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
});
const option = (name: string, value: number | null, unit: string, required = false): Capability['options'][number] => ({
  name,
  long_flag: name,
  help: '',
  required,
  type: 'float',
  multiple: false,
  default: value,
  unit,
});
const capability = (
  job_name: string,
  more: Partial<Pick<Capability, 'options' | 'automation_name' | 'last_used'>> = {},
): Capability => ({
  job_name,
  help: '',
  arguments: [],
  options: [],
  published_settings: {},
  available: true,
  cli_example: '',
  uses_jobs: [],
  ...more,
});
const capabilities = [
  capability('stirring', { options: [option('target_rpm', 500, 'RPM')] }),
  capability('od_reading', { options: [option('interval', 5, 's')] }),
  capability('growth_rate_calculating'),
  capability('temperature_automation', {
    automation_name: 'thermostat',
    options: [option('target_temperature', null, '℃', true)],
    last_used: { settings: { target_temperature: 37 }, job_source: 'user', ended_at: '2026-05-01T09:00:00.000Z' },
  }),
  capability('temperature_automation', { automation_name: 'only_record_temperature' }),
  capability('dosing_automation', { automation_name: 'turbidostat' }),
];
const shown = shownJobs({
  descriptors: builtInJobs.flatMap(({ descriptor }) => descriptor ?? []),
  automations: builtInAutomations,
  capabilities,
  asOfMs: 1,
});
const facts = {
  shown,
  units,
  experiment,
  jobs: [job('u2', 'stirring')],
  shortfalls: new Map(),
  temperature: { mode: 'thermostat', values: {} },
};

describe('the usual jobs', () => {
  it('start where they do not run, each after what it needs', () => {
    expect(missingStarts([job('u2', 'stirring'), job('u3', 'stirring', 'lost')], units, experiment)).toEqual([
      { job: 'stirring', units: ['u1', 'u3'] },
      { job: 'od_reading', units },
      { job: 'growth_rate_calculating', units },
      { job: 'temperature_automation', units },
    ]);
  });

  it('are complete without temperature control, which not all cultures need', () => {
    const own = ['stirring', 'od_reading', 'growth_rate_calculating'].map((name) => job('u1', name));
    expect([lacksUsualJob(own, ['u1'], experiment), lacksUsualJob(own, units, experiment)]).toEqual([false, true]);
  });

  it('start with the values of the last run, those of the configuration where there are none, and never a pump', () => {
    const { starts } = usualPlan(facts);
    expect(starts.map((start) => [start.job.name, start.units, start.options, start.values])).toEqual([
      ['stirring', ['u1', 'u3'], {}, '500 RPM'],
      ['od_reading', units, {}, ''],
      ['growth_rate_calculating', units, {}, ''],
      ['temperature_automation', units, { automation_name: 'thermostat', target_temperature: 37 }, 'Thermostat, 37 °C'],
    ]);
  });

  it('leave the temperature off, or only record it, when that is chosen', () => {
    const off = usualPlan({ ...facts, temperature: { mode: null, values: {} } });
    expect(off.starts.map((start) => start.job.name)).toEqual(['stirring', 'od_reading', 'growth_rate_calculating']);
    const recorded = usualPlan({ ...facts, temperature: { mode: 'only_record_temperature', values: {} } });
    expect(recorded.starts.at(-1)?.options).toEqual({ automation_name: 'only_record_temperature' });
    expect(usualConsequences(recorded, (unit) => unit, []).at(-1)).toBe('This starts no heater and no pump.');
  });

  it('say what starts where, what runs already, and that heaters warm', () => {
    const nameOf = (unit: string) => unit.toUpperCase();
    const sentences = usualConsequences(usualPlan(facts), nameOf, []);
    expect(sentences).toEqual([
      'Stirring (500 RPM) starts on 2 units.',
      expect.stringMatching(/, Growth rate and .* \(Thermostat, 37 °C\) start on 3 units\.$/),
      'Stirring runs already on U2 and keeps its values.',
      'The heaters warm the vials. This starts no pump.',
    ]);
  });

  it('say that a dosing which waits for the readings may run pumps', () => {
    const settings = { automation_name: 'turbidostat', target_biomass: 0.066, biomass_signal: 'od' };
    const dosing = { ...job('u2', 'dosing_automation'), settings };
    const sentences = usualConsequences(usualPlan(facts), (unit) => unit, [dosing]);
    expect(sentences.at(-1)).toMatch(/^u2: Dosing \(turbidostat, target 0\.066\)/);
    expect(sentences.join(' ')).not.toContain('no pump');
  });

  it('say nothing of heaters and pumps that are off where one of the units heats or doses already', () => {
    const besides = (job_name: string, automation_name?: string, reactor_unit = 'u2') => {
      const settings = automation_name === undefined ? {} : { automation_name };
      const running = [{ ...job(reactor_unit, job_name), settings }];
      const plan = (mode: string | null) =>
        usualPlan({ ...facts, jobs: running, temperature: { mode, values: { target_temperature: 37 } } });
      const textOf = (mode: string | null) => usualConsequences(plan(mode), (unit) => unit, running).join(' ');
      return [textOf(null), textOf('thermostat')];
    };
    const saysNo = (texts: readonly string[]) => texts.map((text) => /no heater|no pump/i.test(text));
    expect(saysNo(besides('temperature_automation', 'thermostat'))).toEqual([false, true]);
    expect(saysNo(besides('temperature_automation', 'only_record_temperature'))).toEqual([true, true]);
    expect(saysNo(besides('dosing_automation', 'chemostat'))).toEqual([false, false]);
    expect(saysNo(besides('add_media'))).toEqual([false, false]);
    expect(saysNo(besides('add_media', undefined, 'other'))).toEqual([true, true]);
  });

  it('say that a running profile of the experiment goes on', () => {
    const profile = job('leader', 'experiment_profile');
    expect(profileConsequences([profile], experiment)).toHaveLength(1);
    expect(profileConsequences([{ ...profile, experiment: 'other' }], experiment)).toEqual([]);
  });

  it('leave out units that cannot do a job, with the reason', () => {
    const shortfalls = new Map([['od_reading', [{ unit: 'u1', reason: 'No ADC.' }]]]);
    const { starts, impossible } = usualPlan({ ...facts, shortfalls });
    expect(starts.find((start) => start.job.name === 'od_reading')?.units).toEqual(['u2', 'u3']);
    expect(impossible).toMatchObject([{ unit: 'u1', reason: 'No ADC.' }]);
  });

  it('need a valid temperature', () => {
    const form = shown.find(({ name }) => name === 'temperature_automation')?.form;
    const valid = (values: Record<string, number | string>) => isTemperatureValid(form, { mode: 'thermostat', values });
    expect([valid({}), valid({ target_temperature: '' })]).toEqual([true, false]);
    expect(isTemperatureValid(form, { mode: null, values: { target_temperature: '' } })).toBe(true);
  });
});
