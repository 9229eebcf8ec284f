import { Capability } from '@lcs/contract';
import { builtInJobs } from '@lcs/domain';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { capabilities } from './capabilities.ts';

it('lists every job, automations one by one, in the order of their names', () => {
  const definitions = builtInJobs.map((job) => ({
    ...job,
    isActuating: false,
    stopGroup: 'rest' as const,
    start: () => ({}),
  }));
  const listed = capabilities(definitions);
  for (const one of listed) expect(Value.Check(Capability, one), one.job_name).toBe(true);
  const usesOf = (job: string, automation?: string) =>
    listed.find((one) => one.job_name === job && one.automation_name === automation)?.uses_jobs;
  expect(usesOf('od_reading')).toEqual(['stirring']);
  expect(usesOf('dosing_automation', 'pid_morbidostat')).toEqual(['growth_rate_calculating']);
  expect(usesOf('stirring')).toBeUndefined();
  expect(listed.map(({ job_name, automation_name }) => [job_name, automation_name])).toEqual([
    ['add_alt_media', undefined],
    ['add_media', undefined],
    ['circulate_alt_media', undefined],
    ['circulate_media', undefined],
    ['dosing_automation', 'chemostat'],
    ['dosing_automation', 'fed_batch'],
    ['dosing_automation', 'pid_morbidostat'],
    ['dosing_automation', 'silent'],
    ['dosing_automation', 'turbidostat'],
    ['growth_rate_calculating', undefined],
    ['led_automation', 'light_dark_cycle'],
    ['led_automation', 'silent'],
    ['led_intensity', undefined],
    ['monitor', undefined],
    ['od_blank', undefined],
    ['od_calibration', undefined],
    ['od_reading', undefined],
    ['prime_pump', undefined],
    ['pump_calibration', undefined],
    ['pumps', undefined],
    ['remove_waste', undefined],
    ['self_test', undefined],
    ['stirring', undefined],
    ['stirring_calibration', undefined],
    ['temperature_automation', 'only_record_temperature'],
    ['temperature_automation', 'thermostat'],
    ['temperature_calibration', undefined],
  ]);
  const thermostat = listed.find(({ automation_name }) => automation_name === 'thermostat');
  expect(thermostat?.options).toContainEqual(
    expect.objectContaining({ name: 'target_temperature', long_flag: 'target-temperature', required: true }),
  );
  const option = (job: string, name: string, automation?: string) =>
    listed
      .find(({ job_name, automation_name }) => job_name === job && automation_name === automation)
      ?.options.find((one) => one.name === name);
  expect(option('stirring', 'target_rpm')).toMatchObject({ unit: 'RPM', min: 0, max: 1500 });
  expect(option('temperature_automation', 'target_temperature', 'thermostat')).toMatchObject({ unit: '℃', min: 0 });
  expect(option('stirring', 'use_rpm')).not.toHaveProperty('min');
  expect(thermostat?.published_settings).toMatchObject({
    $state: { datatype: 'string', settable: true },
    automation_name: { datatype: 'string', settable: false },
    target_temperature: { datatype: 'float', settable: true, unit: '℃' },
    heater_duty_cycle: { settable: false },
  });
});

it('states for each job whether it can run here, where that is known', () => {
  const definitions = builtInJobs.map((job) => ({
    ...job,
    isActuating: false,
    stopGroup: 'rest' as const,
    start: () => ({}),
  }));
  const missing = (job: string, automation: string | undefined) =>
    job === 'stirring' || automation === 'thermostat' ? `${job} misses a part.` : undefined;
  const listed = capabilities(definitions, missing);
  for (const one of listed) expect(Value.Check(Capability, one), one.job_name).toBe(true);
  const standing = (job: string, automation?: string) => {
    const found = listed.find(({ job_name, automation_name }) => job_name === job && automation_name === automation);
    return [found?.available, found?.reason];
  };
  expect(standing('stirring')).toEqual([false, 'stirring misses a part.']);
  expect(standing('temperature_automation', 'thermostat')).toEqual([false, 'temperature_automation misses a part.']);
  expect(standing('temperature_automation', 'only_record_temperature')).toEqual([true, undefined]);
  for (const one of capabilities(definitions)) expect(one).not.toHaveProperty('available');
});

it('has the settings of the last run that are options of a start, and no others', () => {
  const definitions = builtInJobs.map((job) => ({
    ...job,
    isActuating: false,
    stopGroup: 'rest' as const,
    start: () => ({}),
  }));
  const settings = { target_rpm: 610, measured_rpm: 600, currently_dodging_od: false };
  const listed = capabilities(definitions, undefined, [
    { jobName: 'stirring', automation: undefined, settings, experiment: undefined, jobSource: undefined, endedAtMs: 0 },
    {
      jobName: 'dosing_automation',
      automation: 'turbidostat',
      settings: { target_biomass: 0.4, biomass_scale: 'od_calibrated' },
      experiment: 'batch-7',
      jobSource: 'user',
      endedAtMs: 0,
    },
  ]);
  const ended_at = '1970-01-01T00:00:00.000Z';
  expect(
    listed.flatMap(({ job_name, automation_name, last_used }) =>
      last_used ? [[job_name, automation_name, last_used]] : [],
    ),
  ).toEqual([
    [
      'dosing_automation',
      'turbidostat',
      {
        settings: { target_biomass: 0.4 },
        biomass_scale: 'od_calibrated',
        experiment: 'batch-7',
        job_source: 'user',
        ended_at,
      },
    ],
    ['stirring', undefined, { settings: { target_rpm: 610 }, ended_at }],
  ]);
  for (const one of listed) expect(Value.Check(Capability, one), one.job_name).toBe(true);
});
