import { selfTestNames } from '@lcs/domain';
import { board12 } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

const clearVial: TestUnitOptions = { start: { volumeMl: 15, od: 0, reservoirMl: 1000 } };

type Unit = Awaited<ReturnType<typeof testUnit>>;
type Fault = NonNullable<NonNullable<TestUnitOptions['vial']>['faults']>[number]['fault'];

const broken = (...faults: Fault[]): TestUnitOptions => ({
  ...clearVial,
  vial: { faults: faults.map((fault) => ({ fault, fromS: 0, untilS: 1e9 })) },
});

const isOff = ({ board: { levels } }: Unit): boolean =>
  [...Object.values(levels.pwm), ...Object.values(levels.led)].every((level) => level === 0);

async function tested(unit: Unit, options: Record<string, string | boolean | null> = {}) {
  await unit.run('self_test', { options });
  await unit.pass(900);
  expect(unit.runtime.running({ jobName: 'self_test' })).toEqual([]);
  expect(isOff(unit)).toBe(true);
  return unit.recorded.setting('self_test/results') as readonly { name: string; state: string; why: string }[];
}

const failedOf = (rows: readonly { name: string; state: string }[]) =>
  rows.filter(({ state }) => state === 'failed').map(({ name }) => name);

describe('the self-test', () => {
  it('passes with a healthy unit and a clear vial, reports its measurements, and leaves everything off', async () => {
    await using unit = await testUnit(clearVial);
    const rows = await tested(unit);
    expect(rows.filter(({ state }) => state !== 'passed')).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(selfTestNames);
    expect(rows.every(({ why }) => why.endsWith('.'))).toBe(true);
    expect(unit.recorded.setting('self_test/all_tests_passed')).toBe(1);
    expect(unit.recorded.setting('self_test/test_detect_heating_pcb')).toBe(1);
    expect(unit.recorded.setting('self_test/correlations_between_pds_and_leds')).toEqual([
      ['A', '1'],
      ['A', '2'],
    ]);
    expect(unit.recorded.events.filter(({ name }) => name === 'self_test')).toHaveLength(selfTestNames.length);
    expect(unit.recorded.logCount('ERROR')).toBe(0);
  });

  it.each<[Fault, string[]]>([
    ['led_dead', ['test_all_positive_correlations_between_pds_and_leds', 'test_REF_is_lower_than_0_dot_256_volts']],
    ['photodiode_disconnected', ['test_all_positive_correlations_between_pds_and_leds']],
    ['stirrer_stalled', ['test_positive_correlation_between_rpm_and_stirring']],
    ['hall_dead', ['test_positive_correlation_between_rpm_and_stirring']],
    ['heater_dead', ['test_positive_correlation_between_temperature_and_heating']],
    ['temperature_sensor_stuck', ['test_positive_correlation_between_temperature_and_heating']],
    [
      'temperature_sensor_dead',
      ['test_detect_heating_pcb', 'test_positive_correlation_between_temperature_and_heating'],
    ],
  ])('finds %s', async (fault, names) => {
    await using unit = await testUnit(broken(fault));
    const failed = failedOf(await tested(unit));
    expect(failed).toEqual(expect.arrayContaining(names));
    expect(unit.recorded.setting('self_test/all_tests_passed')).toBe(0);
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
  });

  it('finds light from outside', async () => {
    await using unit = await testUnit(broken('room_light'));
    const rows = await tested(unit, { k: 'ambient' });
    expect(rows).toMatchObject([
      { name: 'test_ambient_light_interference', why: expect.stringContaining('In the dark') },
    ]);
  });

  it('continues after a chip that does not respond, and names it', async () => {
    await using unit = await testUnit(clearVial);
    unit.board.i2c.silence(0x49);
    const rows = await tested(unit);
    expect(failedOf(rows)).toContain('test_reactor_HAT_present');
    expect(failedOf(rows)).not.toContain('test_detect_heating_pcb');
    expect(rows[0]?.why).toContain('i2c 0x49');
  });

  it('does only the requested tests, and repeats only those that failed', async () => {
    await using unit = await testUnit(clearVial);
    unit.board.i2c.silence(board12.temperatureAddress);
    const named = await tested(unit, { k: 'HEATING' });
    expect(named.map(({ name, state }) => [name, state])).toEqual([
      ['test_detect_heating_pcb', 'failed'],
      ['test_positive_correlation_between_temperature_and_heating', 'failed'],
    ]);
    unit.board.i2c.restore(board12.temperatureAddress);
    const again = await tested(unit, { k: 'heating', retry_failed: null });
    expect(again.map(({ state }) => state)).toEqual(['passed', 'passed']);
    await expect(unit.run('self_test', { options: { k: 'heating', retry_failed: null } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
    await expect(unit.run('self_test', { options: { k: 'no such' } })).rejects.toMatchObject({
      code: 'job_options_invalid',
    });
  });

  it.each(['od_blank', 'od_reading', 'stirring', 'led_automation'])(
    'keeps %s from starting, in either order',
    async (job) => {
      await using unit = await testUnit(clearVial);
      const options = job === 'led_automation' ? { automation_name: 'light_dark_cycle' } : {};
      await unit.run('self_test');
      await expect(unit.run(job, { options })).rejects.toMatchObject({ code: 'job_excluded' });
      expect(unit.recorded.states).not.toContain(`${job} ready`);
      await unit.stop('self_test');
      await unit.run(job, { options });
      await expect(unit.run('self_test')).rejects.toMatchObject({ code: 'job_excluded' });
    },
  );

  it('does not begin while something uses the hardware, and ends safe when it is stopped', async () => {
    await using unit = await testUnit(clearVial);
    await unit.run('stirring');
    await expect(unit.run('self_test')).rejects.toMatchObject({ code: 'job_excluded' });
    await unit.stop('stirring');
    await unit.run('self_test');
    await unit.pass(8);
    expect(isOff(unit)).toBe(false);
    await unit.stop('self_test');
    expect(isOff(unit)).toBe(true);
    expect(unit.runtime.running({ jobName: 'self_test' })).toEqual([]);
  });
});
