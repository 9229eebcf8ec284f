import { profileLibrary } from '@lcs/domain';
import { expect, it } from 'vitest';
import { commands, FastRun, growth, valuesIn } from './fast-run.ts';
import { experiment } from './profile-fixture.ts';

const begin = (filename: string, count = 1): Promise<FastRun> =>
  FastRun.begin(profileLibrary.find((each) => each.filename === filename)?.text ?? '', { count });

/** The common beginning of the profiles. */
const begins = (celsius: number, rpm = 500) => [
  `start stirring {"target_rpm":${rpm}}`,
  `start temperature_automation {"automation_name":"thermostat","target_temperature":${celsius}}`,
  'start od_reading {}',
  'start growth_rate_calculating {}',
];

it('growth curve: reports growth and its end, and stops all jobs', async () => {
  await using run = await begin('growth-curve.yaml');
  run.jobs.add(growth(0.01, 1));
  expect(await run.after(4)).toEqual(begins(37));
  run.jobs.add(growth(0.4, 1.5));
  await run.after(3);
  run.jobs.add(growth(0.01, 9));
  expect(await run.after(40)).toEqual([]);
  expect(await run.after(2)).toEqual([
    'stop stirring',
    'stop temperature_automation',
    'stop od_reading',
    'stop growth_rate_calculating',
  ]);
  const log = await run.finished();
  expect(log).toContain('NOTICE unit1 unit1 grows.');
  expect(log).toContain('NOTICE unit1 unit1 is stationary at 9 times its first density.');
}, 30_000);

it('chemostat series: three dilution rates', async () => {
  await using run = await begin('chemostat-series.yaml');
  expect(await run.after(11)).toEqual(begins(30));
  const [start, ...others] = await run.after(1);
  expect(start).toMatch(/^start dosing_automation .*"chemostat","exchange_volume_ml":0.5,"duration":21.428/);
  expect(others).toEqual([]);
  expect(valuesIn(await run.after(50), 'duration')).toEqual([expect.closeTo(10.714, 3)]);
  expect(valuesIn(await run.after(25), 'duration')).toEqual([expect.closeTo(7.143, 3)]);
  expect(await run.after(17)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: dilution rate 0.3 per hour.');
}, 30_000);

it('turbidostat ramp: raises the target to the top and no further', async () => {
  await using run = await begin('turbidostat-ramp.yaml');
  expect(await run.after(1)).toEqual([
    ...begins(30),
    'start dosing_automation {"automation_name":"turbidostat","target_biomass":4,"biomass_signal":"normalized_od","exchange_volume_ml":1}',
  ]);
  expect(valuesIn(await run.after(48), 'target_biomass')).toEqual([5, 6, 7, 8]);
  expect(await run.after(24)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: the target is 8.');
}, 30_000);

it('morbidostat: doses for ten days and reports the share of the alternative medium', async () => {
  await using run = await begin('morbidostat.yaml');
  expect(await run.after(2)).toEqual([
    ...begins(37),
    'start dosing_automation {"automation_name":"pid_morbidostat","target_normalized_od":5,"target_growth_rate":0.1,"duration":60}',
  ]);
  expect(await run.after(236)).toEqual([]);
  expect(await run.after(2)).toEqual(['stop dosing_automation']);
  const reports = (await run.finished()).filter((line) => line.includes('medium is 0.25.'));
  expect(reports).toHaveLength(9);
}, 30_000);

it('temperature ramp: heats to the last temperature, then returns to the first', async () => {
  await using run = await begin('temperature-ramp.yaml');
  expect([...(await run.after(1))].sort()).toEqual([...begins(28)].sort());
  run.jobs.add({ ...growth(0.3, 2), temperature_automation: { temperature: '{"temperature": 29.9}' } });
  expect(valuesIn(await run.after(24), 'target_temperature')).toEqual([30, 32, 34, 36, 38, 40, 42]);
  expect(valuesIn(await run.after(1), 'target_temperature')).toEqual([28]);
  const reports = (await run.finished()).filter((line) => line.includes('at 29.9 C grows by 0.3 per hour'));
  expect(reports).toHaveLength(7);
}, 30_000);

it('light cycle: lights a culture for a week', async () => {
  await using run = await begin('light-cycle.yaml');
  expect(await run.after(1)).toEqual([
    ...begins(28, 300).map((command) => command.replace('od_reading {}', 'od_reading {"interval":60}')),
    'start led_automation {"automation_name":"light_dark_cycle","light_intensity":20,"light_duration_minutes":960,"dark_duration_minutes":480}',
  ]);
  expect(await run.after(166)).toEqual([]);
  expect(await run.after(1)).toEqual(['stop led_automation']);
  await run.finished();
}, 30_000);

it('fed batch: feeds once the culture has grown and slows down', async () => {
  await using run = await begin('fed-batch.yaml');
  run.jobs.add(growth(0.01, 1));
  expect(await run.after(6)).toEqual(begins(30));
  run.jobs.add(growth(0.4, 4));
  expect(await run.after(6)).toEqual([]);
  run.jobs.add(growth(0.05, 8));
  expect(await run.after(2)).toEqual([
    'start dosing_automation {"automation_name":"fed_batch","dosing_volume_ml":0.5,"duration":60,"current_volume_ml":10}',
  ]);
  expect(await run.after(8)).toEqual(['stop dosing_automation']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: feeding begins.');
}, 30_000);

it('medium switch: circulates the alternative medium after the density was reached, once', async () => {
  await using run = await begin('medium-switch.yaml');
  run.jobs.add(growth(0.4, 3.9));
  expect(await run.after(10)).toEqual(begins(30));
  run.jobs.add(growth(0.4, 4));
  expect(await run.after(10)).toEqual(['start circulate_alt_media {"duration":180}']);
  expect(await run.finished()).toContain('NOTICE unit1 unit1: the share of the alternative medium is 0.25.');
}, 30_000);

it('replicate design: labels the units and starts each with its treatment', async () => {
  await using run = await begin('replicate-design.yaml', 4);
  expect(await run.leader.client.getUnitLabels({ params: { experiment } })).toEqual({
    unit1: 'control 1',
    unit2: 'treated 1',
    unit3: 'treated 2',
    unit4: 'control 2',
  });
  await run.after(1);
  for (const [index, celsius] of [30, 37, 37, 30].entries()) {
    const [, heating] = begins(celsius);
    const sent = commands(run.units[index] ?? expect.fail());
    expect(sent).toHaveLength(4);
    expect(sent).toContain(heating);
  }
  await run.finished();
}, 30_000);

it('sampling reminder: reminds eight times, and doses nothing meanwhile', async () => {
  await using run = await begin('sampling-reminder.yaml');
  expect(await run.after(11)).toEqual([
    ...begins(30),
    'start dosing_automation {"automation_name":"chemostat","exchange_volume_ml":0.5,"duration":20}',
  ]);
  const [paused, resumed] = ['sleeping', 'ready'].map((state) => `update dosing_automation {"$state":"${state}"}`);
  expect(await run.after(1)).toEqual([paused]);
  expect(await run.after(1)).toEqual([resumed]);
  expect(await run.after(106)).toEqual(Array.from({ length: 7 }, () => [paused, resumed]).flat());
  expect(await run.after(2)).toEqual(['stop dosing_automation']);
  const reminder = 'WARNING unit1 Take a sample of 0.5 mL from unit1. Dosing resumes in 15 minutes.';
  expect((await run.finished()).filter((line) => line === reminder)).toHaveLength(8);
}, 30_000);
