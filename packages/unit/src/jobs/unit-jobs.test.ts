import { builtInJobs, calibrationJobs, primePumpJob } from '@lcs/domain';
import { allOff, GuardLost } from '@lcs/hardware';
import { onBehalfOf } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { testUnit } from '../testing/test-unit.ts';
import { unitJobs } from './unit-jobs.ts';

const options: Readonly<Record<string, Record<string, unknown>>> = {
  temperature_automation: { automation_name: 'thermostat', target_temperature: 40 },
  stirring: { enable_dodging_od: null },
  dosing_automation: { automation_name: 'chemostat', duration: 1, exchange_volume_ml: 0.2 },
  led_automation: { automation_name: 'light_dark_cycle', light_duration_minutes: 1, dark_duration_minutes: 0.5 },
  led_intensity: { B: 20, C: 5 },
  add_media: { duration: 3 },
  add_alt_media: { ml: 0.2 },
  remove_waste: { continuously: null },
  circulate_media: { duration: 3 },
  circulate_alt_media: { duration: 4 },
};
const args: Readonly<Record<string, readonly string[]>> = { pumps: ['media', '0.2', 'sleep', '3', 'waste', '0.2'] };
const bodyOf = (name: string) => ({ options: options[name] ?? {}, args: [...(args[name] ?? [])] });
/** They belong to the calibrations of a unit, and are tried there. */
const ofCalibrations = [primePumpJob, ...calibrationJobs];
const names = builtInJobs.filter((job) => !ofCalibrations.includes(job)).map(({ name }) => name);
/** Jobs that go on until they are stopped. */
const longRunning = ['stirring', 'od_reading', 'growth_rate_calculating', 'temperature_automation', 'monitor'];

describe('the jobs of a unit', () => {
  it('are those that are declared', async () => {
    await using unit = await testUnit();
    expect(unitJobs(unit.devices).map(({ name }) => name)).toEqual(names);
  });

  // Among these moments are some in the middle of kicks, readings, counts and rests of the heater.
  it.each(names)('%s leaves nothing on and nothing behind, whenever it is stopped', async (name) => {
    await using unit = await testUnit();
    for (const seconds of [0, 0.3, 0.9, 5.05, 7, 100.3, 260]) {
      const before = unit.clock.pendingTimers;
      await unit.run(name, bodyOf(name));
      await unit.pass(seconds);
      await unit.stop(name);
      expect(unit.board.levels).toEqual(allOff);
      await unit.pass(60);
      expect(unit.clock.pendingTimers).toBe(before);
      expect(unit.board.levels).toEqual(allOff);
    }
    expect(unit.recorded.logs.filter((line) => /^(ERROR|CRITICAL)/.test(line))).toEqual([]);
  });

  it.each(['stirring', 'od_reading', 'temperature_automation'])(
    '%s logs that the guard is lost, and continues with the next one',
    async (name) => {
      await using unit = await testUnit();
      await unit.run(name, { options: options[name] ?? {} });
      await unit.pass(30);
      unit.loseGuard(new GuardLost('it was killed'));
      await unit.pass(300);
      const errors = () => unit.recorded.logs.filter((line) => line.startsWith('ERROR'));
      expect(errors()).toEqual([expect.stringContaining('guard is lost')]);
      unit.loseGuard();
      const notices = unit.recorded.logCount('NOTICE');
      await unit.pass(300);
      expect(unit.recorded.states.at(-1)).toBe(`${name} ready`);
      expect(unit.recorded.logCount('NOTICE')).toBeGreaterThan(notices);
      expect(errors()).toHaveLength(1);
    },
  );

  it.each(['stirring', 'temperature_automation', 'led_intensity', 'led_automation'])(
    'who has stopped %s is in the record of what that switches off',
    async (name) => {
      await using unit = await testUnit();
      await unit.run(name, bodyOf(name));
      await unit.pass(30);
      await onBehalfOf('tek', () => unit.stop(name));
      const rules = unit.recorded.events.flatMap(({ name: event, data }) => (event === 'actuation' ? [data.rule] : []));
      expect(rules.at(-1)).toBe('The job was stopped by tek.');
    },
  );

  it.each([
    ['stirring', { output: 'stirrer', from: 500, to: 0, unit: 'RPM', rule: 'The job was stopped.' }],
    ['temperature_automation', { output: 'heater', to: 0, unit: '%', rule: 'The job was stopped.' }],
    ['led_intensity', { output: 'led_C', from: 5, to: 0, unit: '%', rule: 'The job was stopped.' }],
    ['led_automation', { output: 'led_C', to: 0, unit: '%', rule: 'The job was stopped.' }],
    ['add_media', { output: 'media_pump', to: 0, unit: '%', rule: 'It was stopped. 0.18 mL were moved.' }],
    ['remove_waste', { output: 'waste_pump', to: 0, unit: '%' }],
  ])('what the stop of %s switches off is in the record of actuations, with the reason', async (name, record) => {
    await using unit = await testUnit();
    await unit.run(name, bodyOf(name));
    await unit.pass(name === 'add_media' ? 2 : 30);
    const actuations = () => unit.recorded.events.filter((event) => event.name === 'actuation').map(({ data }) => data);
    const before = actuations().length;
    await unit.stop(name);
    expect(actuations().slice(before).at(-1)).toMatchObject(record);
    expect(unit.board.levels).toEqual(allOff);
  });

  it('live through a board that answers nothing for ten minutes', async () => {
    const faults = [{ fault: 'bus_errors', fromS: 300, untilS: 900 }] as const;
    await using unit = await testUnit({ vial: { faults }, oversampling: 'closed_form' });
    for (const name of longRunning) await unit.run(name, bodyOf(name));
    await unit.pass(3600);
    expect(unit.runtime.running().map(({ state }) => state.kind)).toEqual(longRunning.map(() => 'ready'));
    for (const source of ['od', 'growth_rate', 'temperature', 'stirring_rpm', 'supply_voltage']) {
      const atMs = unit.recorded.of(source).at(-1)?.atMs ?? 0;
      expect(unit.clock.now() - atMs, source).toBeLessThan(400_000);
    }
    const errors = unit.recorded.logs.filter((line) => line.startsWith('ERROR'));
    expect(errors.length).toBeGreaterThan(1);
    expect(errors.length).toBeLessThan(12);
  });
});
