import { board10, board12, i2cDevice, layoutOf } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../testing/test-unit.ts';

const start = { od: 0.5, volumeMl: 14, reservoirMl: 500 };

const firstOptics = layoutOf('1.2', { name: 'reactor_40ml', version: '1.0' });

it('begins no reading of photodiodes on the controller before its average has followed the light', async () => {
  const config = { 'od_reading.config': { ir_led_intensity: '60' } };
  await using unit = await testUnit({ vial: quietVial, start, layout: firstOptics, config });
  await unit.run('od_reading', { options: { record_conversions: 60 } });
  await unit.pass(30);
  const volts = unit.recorded
    .of('od_conversion')
    .filter(({ angle }) => angle === 90)
    .map(({ value }) => value);
  expect(volts.length).toBeGreaterThan(100);
  // The firmware's average leaves little of the hum of the mains; after 125 ms 3 % of the light would be missing.
  expect(Math.min(...volts) / Math.max(...volts)).toBeGreaterThan(0.98);
});

describe.each([
  ['1.0: one converter with four inputs, LEDs by their own chip', board10],
  ['1.2 with first optics: photodiodes on the controller', firstOptics],
])('a board %s', (_name, layout) => {
  it('reads the optical density as a newer one does', async () => {
    const od = async (board: typeof layout) => {
      await using unit = await testUnit({
        vial: quietVial,
        start,
        layout: board,
        config: { 'od_reading.config': { ir_led_intensity: '60' } },
      });
      await unit.run('od_reading');
      await unit.pass(60);
      return unit.recorded.values('od');
    };
    const [values, expected] = [await od(layout), await od(board12)];
    expect(values.length).toBeGreaterThanOrEqual(10);
    const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    expect(mean(values) / mean(expected)).toBeCloseTo(1, 1);
  });

  it('measures the supply of the PWM outputs', async () => {
    await using unit = await testUnit({ layout });
    const reading = unit.devices.supply?.readVolts();
    await unit.pass(1);
    expect(await reading).toBeCloseTo(5, 1);
  });

  it('survives a converter that is absent for a while', async () => {
    await using unit = await testUnit({ vial: quietVial, start, layout });
    await unit.run('od_reading');
    await unit.pass(20);
    const device = i2cDevice(layout === board10 ? 0x48 : 0x2c);
    unit.faults.set(device, { kind: 'absent' });
    await unit.pass(30);
    unit.faults.clear(device);
    const before = unit.recorded.values('od').length;
    await unit.pass(60);
    expect(unit.recorded.values('od').length - before).toBeGreaterThanOrEqual(8);
  });
});
