import { builtInModels } from '@lcs/domain';
import { board12 } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';

const { temperatureAddress } = board12;
const thermostat = (targetC: number) => ({
  options: { automation_name: 'thermostat', target_temperature: targetC },
});
const heater = (unit: Awaited<ReturnType<typeof testUnit>>) => unit.board.levels.pwm[5];

describe('temperature_automation', () => {
  it('holds the liquid at its target, and records its actuations', async () => {
    await using unit = await testUnit();
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(35));
    await unit.pass(3 * 3600);
    const published = unit.recorded.values('temperature').at(-1) ?? 0;
    expect(Math.abs(published - 35)).toBeLessThan(1);
    expect(Math.abs(unit.plant.vial.state.thermal.liquidC - 35)).toBeLessThan(1.5);
    expect(unit.recorded.values('temperature').length).toBeGreaterThan(50);
    expect(unit.recorded.values('heater_duty').at(-1)).toBeGreaterThan(5);
    expect(unit.recorded.setting('temperature_automation/latest_event')).toMatchObject({
      event_name: 'UpdatedHeaterDC',
    });
    expect(unit.recorded.events.find(({ name }) => name === 'automation_settings')?.data).toMatchObject({
      kind: 'temperature',
      automation_name: 'thermostat',
      ended_at: null,
      settings: { target_temperature: 35 },
    });
    await unit.stop('temperature_automation');
    expect(heater(unit)).toBe(0);
  });

  it('never heats as an automation that only records', async () => {
    await using unit = await testUnit();
    await unit.run('temperature_automation', { options: { automation_name: 'only_record_temperature' } });
    await unit.pass(1000);
    expect(unit.recorded.values('temperature').length).toBeGreaterThanOrEqual(5);
    expect(Math.abs((unit.recorded.values('temperature')[0] ?? 0) - 22)).toBeLessThan(1);
    expect(unit.recorded.of('heater_duty')).toEqual([]);
  });

  it('switches the heater off when its sensor is gone, and heats again when it is back', async () => {
    await using unit = await testUnit();
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(1800);
    const before = unit.recorded.of('temperature').length;
    unit.board.i2c.silence(temperatureAddress);
    await unit.pass(600);
    expect(heater(unit)).toBe(0);
    expect(unit.recorded.of('temperature').length).toBe(before);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    unit.board.i2c.restore(temperatureAddress);
    await unit.pass(3600);
    expect(unit.recorded.of('temperature').length).toBeGreaterThan(before + 10);
    expect(Math.abs((unit.recorded.values('temperature').at(-1) ?? 0) - 37)).toBeLessThan(1.5);
  });

  it('limits the target to that of the reactor, and records each effective target', async () => {
    await using unit = await testUnit();
    await unit.run('temperature_automation', thermostat(30));
    await unit.pass(10);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { target_temperature: 95 }, 'http');
    await unit.pass(1);
    expect(unit.runtime.settings('temperature_automation').target_temperature).toBe(78);
    await unit.stop('temperature_automation');
    const intervals = unit.recorded.events.filter(({ name }) => name === 'automation_settings').map(({ data }) => data);
    expect(intervals.map(({ ended_at, settings }) => [ended_at === null, settings])).toEqual([
      [true, { target_temperature: 30 }],
      [false, { target_temperature: 30 }],
      [true, { target_temperature: 78 }],
      [false, { target_temperature: 78 }],
    ]);
  });

  it('takes the lower limits of another reactor at once, in the middle of a run', async () => {
    const built = builtInModels.find((one) => one.model_name === 'reactor_20ml' && one.model_version === '1.5');
    if (built === undefined) throw new Error('There is such a model.');
    let own = built;
    await using unit = await testUnit({ vial: quietVial, devices: { ownModel: () => own } });
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(3600);
    own = { ...built, max_temp_to_reduce_heating: 32, max_temp_to_disable_heating: 50, max_temp_to_shutdown: 60 };
    await unit.pass(5);
    expect(unit.runtime.settings('temperature_automation').target_temperature).toBe(32);
    expect(unit.recorded.logCount('WARNING')).toBeGreaterThan(0);
    await unit.pass(25);
    expect(heater(unit)).toBe(0);
    await unit.pass(7200);
    expect(Math.abs((unit.recorded.values('temperature').at(-1) ?? 0) - 32)).toBeLessThan(1.5);
    // One that bears more does not make it hotter.
    own = built;
    await unit.pass(600);
    expect(unit.runtime.settings('temperature_automation').target_temperature).toBe(32);
  });

  it('does not heat while it is paused', async () => {
    await using unit = await testUnit();
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(1500);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'sleeping' }, 'http');
    expect(heater(unit)).toBe(0);
    await unit.pass(1000);
    expect(heater(unit)).toBe(0);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(10);
    expect(heater(unit)).toBeGreaterThan(0);
  });

  it('does not heat when it was paused in the middle of a measurement', async () => {
    await using unit = await testUnit();
    const response = Promise.withResolvers<void>();
    const { i2c } = unit.board;
    const { readRegister } = i2c;
    Object.assign(i2c, {
      readRegister: async (...request: Parameters<typeof readRegister>) => {
        const read = await readRegister.apply(i2c, request);
        if (request[0] === temperatureAddress) await response.promise;
        return read;
      },
    });
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(1);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'sleeping' }, 'http');
    response.resolve();
    await unit.pass(1);
    expect(heater(unit)).toBe(0);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(1500);
    expect(unit.recorded.values('heater_duty').at(-1)).toBeGreaterThan(0);
  });

  it('logs a refusal of the guard once, and continues', async () => {
    await using unit = await testUnit();
    await unit.actuators.setLimits(null);
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(500);
    expect(heater(unit)).toBe(0);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(unit.runtime.settings('temperature_automation').$state).toBe('ready');
  });

  it('takes a comparison with a probe as an observation of the vial, and records its calibration with the readings', async () => {
    const comparisons = [{ duty: 36.5, boardC: 37.3, probeC: 36 }];
    const trim = {
      name: 'probe',
      hash: 'h1',
      y: 'Probe',
      irLedIntensity: null,
      channel: null,
      inverse: () => undefined,
      shownFor: (x: number) => x,
      dutyFor: () => undefined,
      comparisons,
    };
    await using unit = await testUnit({
      devices: { calibrationOf: (device) => (device === 'temperature' ? trim : undefined) },
      vial: quietVial,
    });
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(3 * 3600);
    const published = unit.recorded.of('temperature').at(-1);
    expect(published?.context).toEqual({ calibration_name: 'probe', calibration_hash: 'h1' });
    expect(unit.devices.liquidEstimates.latest('liquid')?.celsius).toBe(published?.value);
    // By the probe, the board is 1.3 °C above the liquid of this vial, which really is 1 °C warmer.
    expect(unit.plant.vial.state.thermal.liquidC - (published?.value ?? 0)).toBeGreaterThan(0.7);
    await unit.stop('temperature_automation');
    expect(unit.devices.liquidEstimates.latest('liquid')).toBeUndefined();
  });

  it('holds its target while the room warms from 22 to 30 °C', async () => {
    const room = { kind: 'steps', steps: [{ atS: 3 * 3600, celsius: 30 }], timeConstantS: 900 } as const;
    await using unit = await testUnit({ vial: { ...quietVial, room } });
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(3 * 3600);
    const [before, beforeC] = [unit.recorded.values('temperature').length, unit.plant.vial.state.thermal.liquidC];
    let hottest = beforeC;
    for (let count = 0; count < 60; count += 1) {
      await unit.pass(120);
      hottest = Math.max(hottest, unit.plant.vial.state.thermal.liquidC);
    }
    expect(hottest - beforeC).toBeLessThan(0.5);
    expect(Math.max(...unit.recorded.values('temperature').slice(before))).toBeLessThan(37.5);
    expect(Math.abs(unit.plant.vial.state.thermal.liquidC - beforeC)).toBeLessThan(0.3);
  });

  it('does not start with a calibration of another quantity', async () => {
    const calibration = {
      name: 'od',
      hash: 'h1',
      y: 'Voltage',
      irLedIntensity: null,
      channel: null,
      inverse: () => undefined,
      shownFor: (x: number) => x,
      dutyFor: () => undefined,
    };
    await using unit = await testUnit({ devices: { calibrationOf: () => calibration } });
    await expect(unit.run('temperature_automation', thermostat(37))).rejects.toMatchObject({
      code: 'calibration_unsuitable',
    });
  });

  it('is hardly too warm or too cold after a start, a door that was open, and another start', async () => {
    const faults = [{ fault: 'door_open', fromS: 9_000, untilS: 9_600 }] as const;
    await using unit = await testUnit({ vial: { ...quietVial, faults } });
    await unit.run('stirring');
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(8_950);
    const steadyC = unit.plant.vial.state.thermal.liquidC;
    let [coldestC, hottestC, lastOffS] = [steadyC, steadyC, 0];
    for (let count = 0; count < 100; count += 1) {
      await unit.pass(50);
      const { timeS, thermal } = unit.plant.vial.state;
      coldestC = Math.min(coldestC, thermal.liquidC);
      hottestC = Math.max(hottestC, thermal.liquidC);
      if (Math.abs(thermal.liquidC - steadyC) > 0.5) lastOffS = timeS;
    }
    expect(coldestC).toBeLessThan(steadyC - 1);
    expect(hottestC).toBeLessThan(steadyC + 0.5);
    expect(lastOffS).toBeLessThan(9_600 + 600);
    expect(Math.max(...unit.recorded.values('temperature'))).toBeLessThan(37.5);
    await unit.pass(3_600);
    expect(Math.abs((unit.recorded.values('temperature').at(-1) ?? 0) - 37)).toBeLessThan(0.2);
    await unit.stop('temperature_automation');
    await unit.run('temperature_automation', thermostat(37));
    for (let count = 0; count < 36; count += 1) {
      await unit.pass(50);
      hottestC = Math.max(hottestC, unit.plant.vial.state.thermal.liquidC);
    }
    expect(hottestC).toBeLessThan(steadyC + 0.5);
    expect(Math.abs(unit.plant.vial.state.thermal.liquidC - steadyC)).toBeLessThan(0.5);
  });

  it('records each change of the heater with the reading, the target and the rule behind it', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('temperature_automation', thermostat(37));
    await unit.pass(700);
    const published = unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
    expect(published[0]).toMatchObject({
      output: 'heater',
      from: 0,
      to: 100,
      unit: '%',
      source_of_event: 'temperature_automation:thermostat',
      rule: expect.stringContaining('the target is 37 °C'),
      reading: { source: 'temperature', value: expect.any(Number), at: expect.any(Number) },
      settings: { target_temperature: 37 },
    });
  });
});
