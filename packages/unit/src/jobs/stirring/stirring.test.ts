import { BusError } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';

const duty = (unit: Awaited<ReturnType<typeof testUnit>>) => unit.board.levels.pwm[1];

describe('stirring', () => {
  it('is ready at once, kicks the bar loose and brings it to its speed', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring', { options: { target_rpm: 600 } });
    await unit.pass(0.2);
    expect(duty(unit)).toBe(100);
    await unit.pass(600);
    expect(Math.abs((unit.recorded.values('stirring_rpm').at(-1) ?? 0) - 600)).toBeLessThan(20);
    expect(unit.recorded.setting('stirring/measured_rpm')).toMatchObject({ measured_rpm: expect.any(Number) });
    await unit.stop('stirring');
    expect(duty(unit)).toBe(0);
  });

  it('starts with the duty of its calibration', async () => {
    const calibration = {
      name: 'c',
      hash: 'h',
      y: 'RPM',
      irLedIntensity: null,
      channel: null,
      inverse: () => undefined,
      dutyFor: (rpm: number) => (rpm + 5) / 10,
      shownFor: (x: number) => x,
    };
    const calibrationOf = (device: string) => (device === 'stirring' ? calibration : undefined);
    await using unit = await testUnit({ devices: { calibrationOf } });
    await unit.run('stirring', { options: { target_rpm: 500 } });
    await unit.pass(1);
    expect(duty(unit)).toBeCloseTo(53.025, 3);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 600 }, 'http');
    await unit.pass(1);
    expect(duty(unit)).toBeCloseTo(62.74, 2);
  });

  it('takes a new speed at once, stands at zero, and starts again with a kick', async () => {
    await using unit = await testUnit();
    await unit.run('stirring');
    await unit.pass(30);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 0 }, 'http');
    await unit.pass(5);
    expect(duty(unit)).toBe(0);
    await unit.pass(60);
    expect(unit.recorded.logs.filter((line) => !line.startsWith('DEBUG'))).toEqual([]);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 500 }, 'http');
    await unit.pass(0.1);
    expect(duty(unit)).toBe(100);
    await unit.pass(60);
    expect(unit.recorded.values('stirring_rpm').at(-1)).toBeGreaterThan(300);
  });

  it('warns of a target that its sensor cannot measure, at the start and when it is set; 0 is meant', async () => {
    await using unit = await testUnit();
    await unit.run('stirring', { options: { target_rpm: 0.5 } });
    await unit.pass(1);
    const warnings = () => unit.recorded.logs.filter((line) => /^WARNING .*RPM/.test(line)).length;
    expect(warnings()).toBe(1);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 0 }, 'http');
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 24 }, 'http');
    expect(warnings()).toBe(1);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 23 }, 'http');
    expect(warnings()).toBe(2);
  });

  it('is within 2 % of its speed ten seconds after its start, and after a change, and stays there', async () => {
    await using unit = await testUnit({ vial: quietVial });
    const settles = async (rpm: number) => {
      await unit.pass(10);
      for (let second = 0; second < 60; second += 1) {
        unit.plant.boardCelsius(unit.clock.monotonic());
        expect(Math.abs(unit.plant.vial.state.stirrer.rpm / rpm - 1)).toBeLessThan(0.02);
        await unit.pass(1);
      }
    };
    await unit.run('stirring', { options: { target_rpm: 700 } });
    await settles(700);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 300 }, 'http');
    await settles(300);
  });

  it('turns no faster than a start allows, for any setting', async () => {
    await using unit = await testUnit();
    await unit.run('stirring', { options: { target_rpm: 500 } });
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 5000 }, 'http');
    expect(unit.runtime.settings('stirring').target_rpm).toBe(1500);
    expect(unit.recorded.logCount('WARNING')).toBe(1);
    const start = unit.run('stirring', { options: { target_rpm: 1501 } });
    await expect(start).rejects.toMatchObject({ code: 'job_options_invalid' });
  });

  it('records targets and pauses with the origin of the request', async () => {
    await using unit = await testUnit();
    await unit.run('stirring', { env: { JOB_SOURCE: 'UI' } });
    await unit.pass(30);
    await unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 600 }, 'http');
    await unit.pass(200);
    await unit.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    await unit.pass(1);
    const recorded = unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
    expect(recorded).toEqual([
      { output: 'stirrer', from: 0, to: 500, unit: 'RPM', source_of_event: 'UI' },
      { output: 'stirrer', from: 500, to: 600, unit: 'RPM', source_of_event: 'UI' },
      { output: 'stirrer', from: 600, to: 0, unit: 'RPM', source_of_event: 'UI', rule: 'The job sleeps.' },
    ]);
  });

  it('kicks a bar that stands not in the middle of an optical reading', async () => {
    await using unit = await testUnit({
      config: { 'od_reading.config': { samples_per_second: '0.1' } },
      vial: { ...quietVial, faults: [{ fault: 'stirrer_stalled', fromS: 60, untilS: 110 }] },
    });
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(40);
    const seen: { readonly led: number; readonly duty: number }[] = [];
    for (let step = 0; step < 1200; step += 1) {
      await unit.pass(0.1);
      seen.push({ led: unit.board.levels.led.A, duty: duty(unit) });
    }
    expect(seen.some(({ duty: kicked }) => kicked === 100)).toBe(true);
    expect(seen.filter(({ led, duty: kicked }) => led > 0 && (kicked === 100 || kicked === 0))).toEqual([]);
  });

  it('keeps its duty when the sensor is gone, and logs the fault once', async () => {
    await using unit = await testUnit();
    await unit.run('stirring');
    await unit.pass(60);
    const held = duty(unit);
    const { watch } = unit.board.gpio;
    Object.assign(unit.board.gpio, { watch: () => Promise.reject(new BusError('gpio 21', 'watch', 'busy')) });
    await unit.pass(120);
    expect(duty(unit)).toBe(held);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    Object.assign(unit.board.gpio, { watch });
    await unit.pass(60);
    expect(unit.recorded.logCount('NOTICE')).toBe(1);
  });

  it('stops the motor while the job is paused', async () => {
    await using unit = await testUnit();
    await unit.run('stirring');
    await unit.pass(30);
    await unit.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    await unit.pass(60);
    expect(duty(unit)).toBe(0);
    expect(unit.recorded.values('stirring_rpm').at(-1)).toBe(0);
    await unit.runtime.update({ jobName: 'stirring' }, { $state: 'ready' }, 'http');
    await unit.pass(60);
    expect(unit.recorded.values('stirring_rpm').at(-1)).toBeGreaterThan(300);
  });

  it('controls no speed when it is started with a duty', async () => {
    await using unit = await testUnit();
    await unit.run('stirring', { options: { use_rpm: false, duty_cycle: 40 } });
    await unit.pass(60);
    expect(duty(unit)).toBe(40);
    const update = unit.runtime.update({ jobName: 'stirring' }, { target_rpm: 100 }, 'http');
    await expect(update).rejects.toMatchObject({ code: 'job_setting_invalid' });
  });
});

describe('stirring with quiet periods', () => {
  const config = { 'stirring.config': { enable_dodging_od: '1' } };

  it('stands during each reading, turns between them, and turns evenly when readings end', async () => {
    await using unit = await testUnit({ config, vial: quietVial });
    await unit.run('stirring');
    await unit.run('od_reading', { options: { interval: 10 } });
    await unit.pass(60);
    expect(unit.recorded.setting('stirring/currently_dodging_od')).toBe(true);
    const seen: { readonly led: number; readonly duty: number }[] = [];
    for (let step = 0; step < 600; step += 1) {
      await unit.pass(0.1);
      seen.push({ led: unit.board.levels.led.A, duty: duty(unit) });
    }
    const lit = seen.filter(({ led }) => led > 0);
    expect(lit.length).toBeGreaterThan(40);
    expect(lit.filter(({ duty: atReading }) => atReading > 0)).toEqual([]);
    expect(seen.filter(({ duty: turning }) => turning > 0).length).toBeGreaterThan(0.6 * seen.length);
    await unit.stop('od_reading');
    await unit.pass(30);
    expect(unit.recorded.setting('stirring/currently_dodging_od')).toBe(false);
    expect(duty(unit)).toBeGreaterThan(0);
  });

  it('turns between readings also while they fail', async () => {
    await using unit = await testUnit({ config, vial: quietVial });
    await unit.run('stirring');
    await unit.run('od_reading', { options: { interval: 10 } });
    await unit.pass(60);
    unit.board.i2c.silence(0x49);
    await unit.pass(60);
    let turning = 0;
    for (let step = 0; step < 300; step += 1) {
      await unit.pass(0.1);
      if (duty(unit) > 0) turning += 1;
    }
    expect(turning).toBeGreaterThan(150);
  });

  it('stirs evenly and logs an error when readings come too often', async () => {
    await using unit = await testUnit({ config });
    await unit.run('stirring');
    await unit.run('od_reading', { options: { interval: 2 } });
    await unit.pass(60);
    expect(duty(unit)).toBeGreaterThan(0);
    expect(unit.recorded.setting('stirring/currently_dodging_od')).toBe(false);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
  });
});
