import { BusError, board12 } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

const { temperatureAddress } = board12;

type Unit = Awaited<ReturnType<typeof testUnit>>;
type Fault = NonNullable<NonNullable<TestUnitOptions['vial']>['faults']>[number]['fault'];

/** Seconds: warm by then, and in the middle of a stretch of heating. */
const warmAtS = 3600;
const targetC = 37;

const heater = (unit: Unit): number => unit.board.levels.pwm[5];
const errors = (unit: Unit): readonly string[] => unit.recorded.logs.filter((line) => line.startsWith('ERROR'));
const liquidC = (unit: Unit): number => unit.plant.vial.state.thermal.liquidC;

async function warmUnit(faults: NonNullable<TestUnitOptions['vial']>['faults'] = []) {
  const unit = await testUnit({ vial: { ...quietVial, faults } });
  await unit.run('stirring');
  await unit.run('temperature_automation', {
    options: { automation_name: 'thermostat', target_temperature: targetC },
  });
  await unit.pass(warmAtS - unit.plant.vial.state.timeS);
  for (let step = 0; heater(unit) === 0 && step < 300; step += 1) await unit.pass(1);
  return unit;
}

/** Seconds until the heater is off for good: two cycles at least. */
async function offAfterS(unit: Unit, withinS: number): Promise<number> {
  let lastOnS = 0;
  for (let atS = 1; atS <= withinS + 600; atS += 1) {
    await unit.pass(1);
    if (heater(unit) > 0) lastOnS = atS;
  }
  return lastOnS;
}

const from = (fault: Fault, untilS = 1e9) => [{ fault, fromS: warmAtS, untilS }] as const;

/** How the sensor's answers are changed on the wire; undefined: as they are. Returns what ends it. */
function corrupt(unit: Unit, bytes: (index: number) => Uint8Array | undefined): () => void {
  const { i2c } = unit.board;
  const { readRegister } = i2c;
  let index = 0;
  Object.assign(i2c, {
    readRegister: async (...request: Parameters<typeof readRegister>) => {
      if (request[0] !== temperatureAddress) return readRegister.apply(i2c, request);
      index += 1;
      return bytes(index) ?? readRegister.apply(i2c, request);
    },
  });
  return () => Object.assign(i2c, { readRegister });
}

describe('a heater whose sensor fails', () => {
  it('is off within 30 s when the sensor is unplugged while heating, and heats again when it is back', async () => {
    await using unit = await warmUnit();
    expect(heater(unit)).toBeGreaterThan(0);
    unit.board.i2c.silence(temperatureAddress);
    expect(await offAfterS(unit, 30)).toBeLessThanOrEqual(30);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    unit.board.i2c.restore(temperatureAddress);
    await unit.pass(1800);
    expect(heater(unit) + (unit.recorded.values('heater_duty').at(-1) ?? 0)).toBeGreaterThan(0);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(2);
  });

  it.each<[Fault, string]>([
    ['temperature_sensor_stuck', 'shows the same for ever'],
    ['temperature_sensor_loose', 'hangs in the air'],
    ['heater_dead', 'is right, and the heater itself is dead'],
  ])('is off within one cycle of 200 s and one stretch of heating when the sensor is %s: it %s', async (fault) => {
    await using unit = await warmUnit(from(fault));
    expect(await offAfterS(unit, 400)).toBeLessThanOrEqual(400);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(liquidC(unit)).toBeLessThan(targetC + 2);
    expect(unit.recorded.of('temperature').at(-1)?.flags).toEqual(['sensor_doubtful']);
    expect(unit.recorded.setting('temperature_automation/temperature')).toMatchObject({ flags: ['sensor_doubtful'] });
    expect(unit.recorded.events.filter(({ name }) => name === 'actuation').at(-1)?.data).toMatchObject({
      output: 'heater',
      to: 0,
      rule: expect.stringContaining('cannot be trusted'),
    });
  });

  it('heats again after a person has checked a doubtful sensor and resumed the job', async () => {
    await using unit = await warmUnit(from('temperature_sensor_stuck', warmAtS + 1200));
    await unit.pass(1300);
    expect(heater(unit)).toBe(0);
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'sleeping' }, 'http');
    await unit.runtime.update({ jobName: 'temperature_automation' }, { $state: 'ready' }, 'http');
    await unit.pass(3600);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
  });

  it('stays below its limits, with a log entry, when the sensor returns only noise, and heats again afterwards', async () => {
    await using unit = await warmUnit();
    const restore = corrupt(unit, (index) => Uint8Array.of((37 * index) % 256, (91 * index) % 256));
    expect(await offAfterS(unit, 60)).toBeLessThanOrEqual(60);
    expect(errors(unit).length).toBeGreaterThan(0);
    expect(liquidC(unit)).toBeLessThan(targetC + 1);
    restore();
    await unit.pass(3600);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
  });

  it('continues after single disturbed readings, however hot, without a person', async () => {
    await using unit = await warmUnit();
    const hot = Uint8Array.of(100, 0);
    corrupt(unit, (index) => (index % 40 === 0 ? hot : undefined));
    await unit.pass(2 * 3600);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
    expect(errors(unit).filter((line) => line.includes('start the job again'))).toEqual([]);
  });

  it('records the duty that the guard has left to it, and continues when that is over', async () => {
    await using unit = await warmUnit();
    const before = heater(unit);
    const restore = corrupt(unit, () => Uint8Array.of(79, 0));
    await unit.pass(5);
    expect(heater(unit)).toBeLessThan(0.9 * before);
    expect(heater(unit)).toBeGreaterThan(0);
    expect(unit.recorded.values('heater_duty').at(-1)).toBeCloseTo(heater(unit), 6);
    restore();
    await unit.pass(5);
    expect(heater(unit)).toBe(before);
    expect(unit.recorded.values('heater_duty').at(-1)).toBe(before);
    const actuations = unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
    expect(actuations.at(-1)).toMatchObject({ output: 'heater', to: before });
    expect(actuations.at(-2)?.to).toBeLessThan(before);
    await unit.pass(900);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1);
  });

  it('is refused until a person starts the job again when several readings of its board were much too hot', async () => {
    await using unit = await warmUnit();
    const restore = corrupt(unit, () => Uint8Array.of(95, 0));
    await unit.pass(300);
    restore();
    await unit.pass(1200);
    expect(heater(unit)).toBe(0);
    expect(errors(unit)).toContainEqual(expect.stringContaining('start the job again'));
    await unit.stop('temperature_automation');
    await unit.run('temperature_automation', {
      options: { automation_name: 'thermostat', target_temperature: targetC },
    });
    await unit.pass(3600);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
  });

  it('is off within 30 s when the bus gives no number', async () => {
    await using unit = await warmUnit();
    const { boardTemperature } = unit.devices;
    Object.assign(boardTemperature, { readCelsius: async () => Number.NaN });
    corrupt(unit, () => {
      throw new BusError('i2c 0x4f', 'read register 0', 'a short answer');
    });
    expect(await offAfterS(unit, 30)).toBeLessThanOrEqual(30);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
  });

  it('continues through bursts of bus errors that are shorter than 20 s', async () => {
    const burst = (index: number) =>
      ({ fault: 'bus_errors', fromS: warmAtS + 60 * index, untilS: warmAtS + 60 * index + 15 }) as const;
    await using unit = await warmUnit(Array.from({ length: 30 }, (_, index) => burst(index)));
    await unit.pass(3600);
    expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
    expect(unit.runtime.settings('temperature_automation').$state).toBe('ready');
  });

  it('holds its temperature when the clock of the computer jumps an hour on, and back', async () => {
    await using unit = await warmUnit();
    for (const jumpMs of [3_600_000, -3_600_000]) {
      unit.clock.stepWallClock(jumpMs);
      await unit.pass(1800);
      expect(Math.abs(liquidC(unit) - targetC)).toBeLessThan(1.5);
    }
    expect(unit.recorded.logCount('ERROR')).toBe(0);
  });

  it('is off when the job itself throws, whatever it does', async () => {
    await using unit = await warmUnit();
    Object.assign(unit.devices.boardTemperature, {
      readCelsius: () => Promise.reject(new TypeError('a mistake of the program')),
    });
    expect(await offAfterS(unit, 5)).toBeLessThanOrEqual(5);
    expect(unit.runtime.running({ jobName: 'temperature_automation' })).toEqual([]);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
  });
});

describe('a stirrer that fails', () => {
  const rpm = (unit: Unit) => unit.recorded.values('stirring_rpm').at(-1);
  const stirrer = (unit: Unit) => unit.board.levels.pwm[1];

  it('that stands still is kicked three times, and then pauses until a person resumes it', async () => {
    const shown: number[] = [];
    await using unit = await testUnit({
      vial: { faults: [{ fault: 'stirrer_stalled', fromS: 60, untilS: 700 }] },
      devices: { showFault: (code) => shown.push(code) },
    });
    await unit.run('stirring');
    await unit.pass(240);
    expect(unit.recorded.logCount('WARNING')).toBe(3);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(stirrer(unit)).toBe(0);
    expect(unit.runtime.settings('stirring').$state).toBe('sleeping');
    expect(new Set(shown)).toEqual(new Set([4]));
    await unit.pass(600);
    await unit.runtime.update({ jobName: 'stirring' }, { $state: 'ready' }, 'http');
    await unit.pass(60);
    expect(Math.abs((rpm(unit) ?? 0) - 500)).toBeLessThan(10);
  });

  it('is turned on as before while its sensor does not answer for a while', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring');
    await unit.pass(60);
    const held = stirrer(unit);
    const { watch } = unit.board.gpio;
    Object.assign(unit.board.gpio, { watch: () => Promise.reject(new BusError('gpio 21', 'watch', 'busy')) });
    await unit.pass(300);
    expect(stirrer(unit)).toBe(held);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    Object.assign(unit.board.gpio, { watch });
    await unit.pass(60);
    expect(Math.abs((rpm(unit) ?? 0) - 500)).toBeLessThan(10);
  });

  it('is not thrown off by a sensor that sees turns that are none', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring');
    await unit.pass(60);
    const { takeEdges } = unit.board.gpio;
    let calls = 0;
    Object.assign(unit.board.gpio, {
      takeEdges: async (line: number) => {
        calls += 1;
        const edges = await takeEdges.call(unit.board.gpio, line);
        return calls % 2 === 0 ? [...edges, ...edges.map((us) => us + 1000)].sort((a, b) => a - b) : edges;
      },
    });
    await unit.pass(600);
    expect(unit.plant.vial.state.stirrer.rpm).toBeGreaterThan(200);
    expect(unit.plant.vial.state.stirrer.rpm).toBeLessThan(800);
    expect(unit.runtime.settings('stirring').$state).toBe('ready');
  });

  it('that has lost its bar couples it again, and logs a failure', async () => {
    await using unit = await testUnit({
      vial: { ...quietVial, faults: [{ fault: 'bar_lost', fromS: 300, untilS: 1e9 }] },
    });
    await unit.run('stirring');
    await unit.pass(600);
    expect(unit.recorded.logCount('WARNING')).toBe(3);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(unit.recorded.of('stirring_rpm').some(({ flags }) => flags?.includes('bar_loose'))).toBe(true);
    expect(unit.runtime.settings('stirring').$state).toBe('ready');
  });

  it('that lost its bar for a moment is as before', async () => {
    await using unit = await testUnit({
      vial: { ...quietVial, faults: [{ fault: 'bar_lost', fromS: 300, untilS: 330 }] },
    });
    await unit.run('stirring');
    await unit.pass(600);
    expect(unit.recorded.logCount('ERROR')).toBe(0);
    expect(Math.abs((rpm(unit) ?? 0) - 500)).toBeLessThan(10);
    expect(unit.recorded.of('stirring_rpm').at(-1)?.flags).toBeUndefined();
  });

  it('holds its speed when the clock of the computer jumps an hour on, and back', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring');
    await unit.pass(60);
    for (const jumpMs of [3_600_000, -3_600_000]) {
      unit.clock.stepWallClock(jumpMs);
      await unit.pass(120);
      expect(Math.abs((rpm(unit) ?? 0) - 500)).toBeLessThan(10);
    }
  });

  it('is off when the job itself throws', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring');
    await unit.pass(30);
    Object.assign(unit.devices.hallSensor, {
      measure: () => Promise.reject(new TypeError('a mistake of the program')),
    });
    await unit.pass(60);
    expect(stirrer(unit)).toBe(0);
    expect(unit.runtime.running({ jobName: 'stirring' })).toEqual([]);
  });
});
