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
  expect(listed.map(({ job_name, automation_name }) => [job_name, automation_name])).toEqual([
    ['growth_rate_calculating', undefined],
    ['monitor', undefined],
    ['od_reading', undefined],
    ['stirring', undefined],
    ['temperature_automation', 'only_record_temperature'],
    ['temperature_automation', 'thermostat'],
  ]);
  const thermostat = listed.at(-1);
  expect(thermostat?.options).toContainEqual(
    expect.objectContaining({ name: 'target_temperature', long_flag: 'target-temperature', required: true }),
  );
  expect(thermostat?.published_settings).toMatchObject({
    $state: { datatype: 'string', settable: true },
    automation_name: { datatype: 'string', settable: false },
    target_temperature: { datatype: 'float', settable: true, unit: '℃' },
    heater_duty_cycle: { settable: false },
  });
});
