import { describe, expect, it } from 'vitest';
import { quietVial, testExperimentUid, testUnit } from '../../testing/test-unit.ts';
import type { Calibration } from '../shared/calibration.ts';
import { passingMemory } from '../shared/job-memory.ts';
import { referenceKey } from './reference.ts';

type TestUnit = Awaited<ReturnType<typeof testUnit>>;
const dense = { vial: quietVial, start: { volumeMl: 15, od: 0.5, reservoirMl: 1000 } };

const dim = (unit: TestUnit, percent: number) =>
  unit.runtime.update({ jobName: 'od_reading' }, { ir_led_intensity: percent }, 'http');
const flagsOf = (unit: TestUnit) => unit.recorded.of('od').flatMap(({ flags = [] }) => flags);
const newest = (unit: TestUnit, source = 'od'): number => unit.recorded.values(source).at(-1) ?? Number.NaN;

const madeAt80: Calibration = {
  name: 'od90_nov',
  hash: '9f1c',
  y: 'Voltage',
  irLedIntensity: 80,
  channel: '2',
  inverse: (volts) => ({ x: 10 * volts, isOutOfRange: false, isLowerBound: false }),
  dutyFor: () => undefined,
  shownFor: (x) => x,
};

describe('light that was changed on purpose', () => {
  it.each([50, 100])('from 80 to %i is no failing LED, neither live nor after a restart', async (percent) => {
    await using unit = await testUnit(dense);
    await unit.run('od_reading');
    await unit.pass(60);
    const before = newest(unit);
    await dim(unit, percent);
    await unit.pass(60);
    await unit.stop('od_reading');
    await unit.run('od_reading', { options: { ir_led_intensity: percent } });
    await unit.pass(60);
    expect(unit.recorded.of('od').length).toBeGreaterThan(30);
    expect(flagsOf(unit)).toEqual([]);
    expect(newest(unit) / before).toBeCloseTo(1, 1);
  });

  it('as a dense culture makes "auto" do it, is none either', async () => {
    const config = { 'od_reading.config': { ir_led_intensity: 'auto' } };
    await using unit = await testUnit({ ...dense, start: { ...dense.start, od: 0.02 }, config });
    await unit.run('od_reading');
    await unit.pass(30);
    expect(unit.recorded.setting('od_reading/ir_led_intensity')).toBe(85);
    await using later = await testUnit({
      ...dense,
      start: { ...dense.start, od: 3 },
      config,
      devices: { memory: unit.devices.memory },
    });
    await later.run('od_reading');
    await later.pass(30);
    expect(later.recorded.setting('od_reading/ir_led_intensity')).toBe(50);
    expect(later.recorded.of('od').length).toBeGreaterThan(3);
    expect(flagsOf(later)).toEqual([]);
  });

  it('does not change the OD of a calibration, nor the fused one, which were made at the new intensity', async () => {
    const fusion = {
      name: 'est1',
      hash: 'e1',
      irLedIntensity: 80,
      fuse: (signals: { readonly '90'?: number }) => ({
        concentration: 5 * (signals['90'] ?? 0),
        isAtBound: false,
        isLowerBound: false,
      }),
    };
    const ods = async (first: number) => {
      const devices = { calibrationOf: (device: string) => (device === 'od90' ? madeAt80 : undefined) };
      await using unit = await testUnit({ ...dense, devices: { ...devices, fusionOf: () => fusion } });
      await unit.run('od_reading', { options: { ir_led_intensity: first } });
      await unit.pass(30);
      await dim(unit, 80);
      await unit.pass(60);
      return { od: newest(unit), fused: newest(unit, 'od_fused') };
    };
    const [changed, same] = [await ods(50), await ods(80)];
    expect(changed.od / same.od).toBeCloseTo(1, 1);
    expect(changed.fused / same.fused).toBeCloseTo(1, 1);
  });
});

describe('light that changes by itself', () => {
  /** An experiment that began with an LED twice as bright. */
  const brightBefore = () => {
    const memory = passingMemory();
    memory.write(testExperimentUid, referenceKey, { volts: 0.2, intensity: 80, accepted: 1 });
    return memory;
  };

  it('is flagged until a person has accepted it; ODs continue', async () => {
    const memory = brightBefore();
    await using unit = await testUnit({ ...dense, devices: { memory } });
    await unit.run('od_reading');
    await unit.pass(30);
    expect(new Set(flagsOf(unit))).toEqual(new Set(['led_failing']));
    expect(unit.recorded.logCount('WARNING')).toBeGreaterThan(0);
    const before = newest(unit);
    await unit.stop('od_reading');
    await unit.run('od_reading', { args: ['accept_light'] });
    const count = unit.recorded.of('od').length;
    await unit.run('od_reading');
    await unit.pass(60);
    const since = () => unit.recorded.of('od').slice(count);
    expect(since().length).toBeGreaterThan(8);
    expect(since().flatMap(({ flags = [] }) => flags)).toEqual([]);
    expect(newest(unit) / before).toBeCloseTo(1, 1);
    // It is the new brightness that counts from now on.
    await dim(unit, 60);
    await unit.pass(60);
    expect(since().flatMap(({ flags = [] }) => flags)).toEqual([]);
    expect(memory.read(testExperimentUid, referenceKey)).toMatchObject({ volts: 0.2, intensity: 80 });
  });

  it('accepts one value, and no other', async () => {
    await using unit = await testUnit(dense);
    await expect(unit.run('od_reading', { args: ['accept'] })).rejects.toMatchObject({
      body: { cause: expect.stringContaining('accept_light') },
    });
  });
});

describe('what is kept of the first light', () => {
  it('may be the volts alone, of an older version: the intensity is taken to be that of now', async () => {
    const memory = passingMemory();
    memory.write(testExperimentUid, referenceKey, 0.1);
    await using unit = await testUnit({ ...dense, devices: { memory } });
    await unit.run('od_reading');
    await unit.pass(30);
    expect(flagsOf(unit)).toEqual([]);
    expect(memory.read(testExperimentUid, referenceKey)).toEqual({ volts: 0.1, intensity: 80, accepted: 1 });
  });

  it('is not the noise of a light that is off', async () => {
    const memory = passingMemory();
    await using unit = await testUnit({ ...dense, devices: { memory } });
    await unit.run('od_reading', { options: { ir_led_intensity: 0 } });
    await unit.pass(30);
    expect(unit.recorded.of('od')).toEqual([]);
    expect(memory.read(testExperimentUid, referenceKey)).toBeUndefined();
    await unit.stop('od_reading');
    await unit.run('od_reading');
    await unit.pass(30);
    expect(unit.recorded.of('od').length).toBeGreaterThan(3);
    expect(flagsOf(unit)).toEqual([]);
  });
});
