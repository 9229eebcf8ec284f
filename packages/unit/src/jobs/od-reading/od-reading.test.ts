import { JobEnded } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';
import { opticalReadingKey } from '../shared/optical-reading.ts';

const od90 = 0x49;

describe('od_reading', () => {
  it('records every photodiode with the same time, intensity and angle, and grows with the culture', async () => {
    await using unit = await testUnit({ start: { volumeMl: 15, od: 0.5, reservoirMl: 1000 } });
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(60);
    const raw = unit.recorded.of('raw_od');
    expect(raw.length).toBeGreaterThanOrEqual(11);
    expect(raw[0]).toMatchObject({ channel: '2', angle: 90, context: { ir_led_intensity: 80 }, flags: [] });
    expect(unit.recorded.of('od').map(({ atMs }) => atMs)).toEqual(raw.map(({ atMs }) => atMs));
    expect(raw.at(-1)?.value).toBeGreaterThan(0.03);
    expect(unit.recorded.setting('od_reading/od2')).toMatchObject({ calibrated: 0, angle: '90', channel: '2' });
    expect(unit.recorded.of('ir_led_relative_intensity')[0]?.value).toBe(1);
    // The chart of raw readings has a live value without any calibration.
    const newest = { calibrated: 0, channel: '2', od: raw.at(-1)?.value };
    expect(unit.recorded.setting('od_reading/raw_od2')).toMatchObject(newest);
  });

  it('records a raw OD that does not contain the one before, and smooths the OD only if asked to', async () => {
    /** The first values after the vial was put in, relative to later ones. */
    const afterStep = async (penalizer: string) => {
      await using unit = await testUnit({
        vial: { ...quietVial, faults: [{ fault: 'vial_removed', fromS: 0, untilS: 62 }] },
        start: { volumeMl: 15, od: 0.5, reservoirMl: 1000 },
        config: { 'od_reading.config': { smoothing_penalizer: penalizer } },
      });
      await unit.run('stirring');
      await unit.run('od_reading');
      await unit.pass(120);
      const raws = unit.recorded.values('raw_od');
      const known = raws.findIndex((value) => value > 0.5 * (raws.at(-1) ?? 0));
      const ratioOf = (source: string) => {
        const values = unit.recorded.values(source).slice(known);
        return (values[0] ?? 0) / (values.at(-1) ?? 0);
      };
      return { raw: ratioOf('raw_od'), od: ratioOf('od'), context: unit.recorded.of('od').at(-1)?.context };
    };
    const plain = await afterStep('0');
    expect(plain.od).toBe(plain.raw);
    expect(Math.abs(plain.raw - 1)).toBeLessThan(0.02);
    const smoothed = await afterStep('3');
    expect(Math.abs(smoothed.raw - 1)).toBeLessThan(0.02);
    expect(smoothed.od).toBeLessThan(0.8);
    expect(smoothed.context).toMatchObject({ smoothing_penalizer: 3 });
  });

  it('records each conversion for the time that it is asked to', async () => {
    await using unit = await testUnit({ oversampling: 'closed_form' });
    await unit.run('od_reading', { options: { record_conversions: 0 } });
    await unit.pass(20);
    expect(unit.recorded.of('od_conversion')).toEqual([]);
    await unit.runtime.update({ jobName: 'od_reading' }, { record_conversions: 20 }, 'http');
    const before = unit.recorded.of('raw_od').length;
    await unit.pass(60);
    expect(unit.runtime.settings('od_reading').record_conversions).toBe(0);
    const conversions = unit.recorded.of('od_conversion');
    const signal = conversions.filter(({ channel }) => channel === '2');
    expect(signal.length).toBe(4 * 40);
    expect(conversions.length).toBe(2 * 4 * 40);
    expect(new Set(signal.map(({ atMs }) => atMs)).size).toBe(4 * 40);
    const [reading] = unit.recorded.of('raw_od').slice(before);
    const first = signal.slice(0, 40);
    expect(first[0]?.atMs).toBeGreaterThanOrEqual(reading?.atMs ?? 0);
    expect((first.at(-1)?.atMs ?? 0) - (first[0]?.atMs ?? 0)).toBeGreaterThan(500);
    await expect(
      unit.runtime.update({ jobName: 'od_reading' }, { record_conversions: 3601 }, 'http'),
    ).rejects.toMatchObject({ code: 'job_setting_invalid' });
  });

  it('keeps the grid of its interval and lights the LED for readings only', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading', { options: { interval: 10 } });
    await unit.pass(65);
    const atMs = unit.recorded.of('od').map((reading) => reading.atMs);
    const gaps = atMs.slice(1).map((moment, index) => moment - (atMs[index] ?? 0));
    expect(gaps.slice(1)).toEqual(gaps.slice(1).map(() => 10_000));
    expect(unit.board.levels.led).toEqual({ A: 0, B: 0, C: 0, D: 0 });
  });

  it('takes extra readings for a job that asks for them, announced before; the grid stays as it is', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading', { options: { interval: 120 } });
    await unit.pass(130);
    const sinceMs = unit.clock.now();
    const taken = unit.devices.extraReadings.take({ count: 4, everyMs: 5000 });
    await unit.pass(1);
    const nextAtMs = unit.clock.monotonic() - 1000 + 5000;
    expect(unit.devices.opticalReadings.latest(opticalReadingKey)).toMatchObject({ nextAtMs, intervalMs: 120_000 });
    await unit.pass(21);
    await taken;
    await unit.pass(100);
    const afterMs = unit.recorded.of('od').flatMap(({ atMs }) => (atMs > sinceMs ? [atMs - sinceMs] : []));
    expect(afterMs).toHaveLength(5);
    const gaps = afterMs.slice(1, 4).map((atMs, index) => atMs - (afterMs[index] ?? 0));
    expect(gaps).toEqual([5000, 5000, 5000]);
    expect(unit.recorded.of('raw_od')).toHaveLength(unit.recorded.of('od').length);
    const [first = 0, second = 0] = unit.recorded.of('od').map(({ atMs }) => atMs);
    // The first reading is later by its preparation.
    expect(Math.abs((afterMs[4] ?? 0) + sinceMs - second - 120_000)).toBeLessThan(1000);
    expect(second).toBeGreaterThan(first);
    expect(unit.board.levels.led).toEqual({ A: 0, B: 0, C: 0, D: 0 });
  });

  it('takes none while it is paused, and lets whoever asked go on when it ends or does not run', async () => {
    await using unit = await testUnit();
    const { extraReadings } = unit.devices;
    await extraReadings.take({ count: 4, everyMs: 5000 });
    await unit.run('od_reading', { options: { interval: 120 } });
    await unit.pass(10);
    const count = unit.recorded.of('od').length;
    await unit.runtime.update({ jobName: 'od_reading' }, { $state: 'sleeping' }, 'http');
    const paused = extraReadings.take({ count: 2, everyMs: 5000 });
    await unit.pass(15);
    await paused;
    expect(unit.recorded.of('od')).toHaveLength(count);
    await unit.runtime.update({ jobName: 'od_reading' }, { $state: 'ready' }, 'http');
    const ended = extraReadings.take({ count: 10, everyMs: 5000 });
    await unit.pass(7);
    await unit.stop('od_reading');
    await ended;
    await extraReadings.take({ count: 1, everyMs: 5000 });
    expect(unit.recorded.of('od')).toHaveLength(count + 1);
  });

  it('does not see the dark voltage, whatever its gain', async () => {
    const values = async (darkV: number) => {
      await using unit = await testUnit({ vial: { ...quietVial, darkV } });
      await unit.run('od_reading');
      await unit.pass(60);
      return unit.recorded.values('od').at(-1) ?? Number.NaN;
    };
    expect(Math.abs((await values(0.02)) / (await values(0)) - 1)).toBeLessThan(0.01);
  });

  it.each(['slot_by_slot', 'closed_form'] as const)('reads ten times a second, %s', async (oversampling) => {
    await using unit = await testUnit({ oversampling });
    await unit.run('od_reading', { options: { interval: 0.1 } });
    await unit.pass(10);
    unit.recorded.readings.length = 0;
    await unit.pass(10);
    expect(unit.recorded.of('od').length).toBeGreaterThanOrEqual(99);
    expect(unit.recorded.of('od').length).toBeLessThanOrEqual(101);
  });

  it('leaves the LED dark when fast readings end', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading', { options: { interval: 0.1 } });
    await unit.pass(10);
    expect(unit.board.levels.led.A).toBe(80);
    await unit.runtime.update({ jobName: 'od_reading' }, { interval: null }, 'http');
    await unit.pass(2);
    expect(unit.board.levels.led.A).toBe(0);
    await unit.runtime.update({ jobName: 'od_reading' }, { interval: 0.1 }, 'http');
    await unit.pass(10);
    await unit.runtime.update({ jobName: 'od_reading' }, { $state: 'sleeping' }, 'http');
    await unit.pass(2);
    expect(unit.board.levels.led.A).toBe(0);
  });

  it('logs a fault once, and continues when the chip is back', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading');
    await unit.pass(30);
    const before = unit.recorded.of('od').length;
    unit.board.i2c.silence(od90);
    await unit.pass(62);
    expect(unit.recorded.of('od').length).toBe(before);
    expect(unit.board.levels.led.A).toBe(0);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    unit.board.i2c.restore(od90);
    await unit.pass(30);
    expect(unit.recorded.of('od').length).toBeGreaterThanOrEqual(before + 5);
    expect(unit.recorded.logCount('NOTICE')).toBe(1);
    expect(unit.runtime.settings('od_reading').$state).toBe('ready');
  });

  it('starts while a chip is missing, and reads when it comes', async () => {
    await using unit = await testUnit();
    unit.board.i2c.silence(od90);
    await unit.run('od_reading');
    await unit.pass(20);
    expect(unit.recorded.of('od')).toEqual([]);
    unit.board.i2c.restore(od90);
    await unit.pass(20);
    expect(unit.recorded.of('od').length).toBeGreaterThan(1);
  });

  it('ends with the LED off when a photodiode gets more light than it bears', async () => {
    const faults = [{ fault: 'photodiode_saturated', fromS: 60, untilS: 1e9 }] as const;
    const shown: number[] = [];
    const devices = { showFault: (code: number) => shown.push(code) };
    await using unit = await testUnit({ vial: { faults }, devices });
    await unit.run('od_reading');
    await unit.pass(120);
    expect(unit.recorded.states.at(-1)).toBe('od_reading disconnected');
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(unit.board.levels.led.A).toBe(0);
    expect(new Set(shown)).toEqual(new Set([5]));
  });

  it('keeps the reference of the experiment after a restart of the job, and follows a new intensity', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(60);
    const before = unit.recorded.values('od').at(-1) ?? 0;
    await unit.runtime.update({ jobName: 'od_reading' }, { ir_led_intensity: 60 }, 'http');
    await unit.pass(60);
    expect(unit.recorded.of('od').at(-1)?.context).toEqual({ ir_led_intensity: 60 });
    expect(Math.abs((unit.recorded.values('od').at(-1) ?? 0) / before - 1)).toBeLessThan(0.02);
    await unit.stop('od_reading');
    await unit.run('od_reading', { options: { ir_led_intensity: 60 } });
    await unit.pass(60);
    expect(Math.abs((unit.recorded.values('od').at(-1) ?? 0) / before - 1)).toBeLessThan(0.02);
  });

  it('gives calibrated OD where a calibration is active, and none where it does not fit', async () => {
    const calibration = {
      name: 'od90_nov',
      hash: '9f1c',
      y: 'Voltage',
      irLedIntensity: 80,
      channel: '2',
      inverse: (volts: number) => ({ x: 10 * volts, isOutOfRange: false, isLowerBound: false }),
      dutyFor: () => undefined,
      shownFor: (x: number) => x,
    };
    const calibrationOf = (device: string) => (device === 'od90' ? calibration : undefined);
    await using unit = await testUnit({ devices: { calibrationOf } });
    await unit.run('od_reading');
    await unit.pass(30);
    const od = unit.recorded.of('od').at(-1);
    expect(od?.value).toBeCloseTo(10 * (unit.recorded.values('raw_od').at(-1) ?? 0), 9);
    expect(od?.context).toEqual({ ir_led_intensity: 80, calibration_name: 'od90_nov', calibration_hash: '9f1c' });
    const known = unit.recorded.of('od').length;
    await unit.runtime.update({ jobName: 'od_reading' }, { ir_led_intensity: 70 }, 'http');
    await unit.pass(30);
    expect(unit.recorded.of('od').length).toBe(known);
    expect(unit.recorded.of('raw_od').length).toBeGreaterThan(known + 3);
    expect(unit.recorded.logCount('ERROR')).toBe(1);
    expect(unit.recorded.setting('od_reading/od2')).toBeNull();
    expect(unit.recorded.setting('od_reading/calibrated_od2')).toBeNull();
    expect(unit.recorded.setting('od_reading/raw_od2')).toMatchObject({ calibrated: 0, ir_led_intensity: 70 });
  });

  it('keeps the calibration it began with, and uses none of another photodiode', async () => {
    const made = (name: string, channel: string) => ({
      name,
      hash: name,
      y: 'Voltage',
      irLedIntensity: 80,
      channel,
      inverse: (volts: number) => ({ x: 10 * volts, isOutOfRange: false, isLowerBound: false }),
      dutyFor: () => undefined,
      shownFor: (x: number) => x,
    });
    let active = made('first', '2');
    await using unit = await testUnit({ devices: { calibrationOf: () => active } });
    await unit.run('od_reading');
    await unit.pass(20);
    active = made('second', '3');
    await unit.pass(20);
    expect(unit.recorded.setting('od_reading/od2')).toMatchObject({ calibrated: 1, calibration_name: 'first' });
    await unit.stop('od_reading');
    await unit.run('od_reading');
    await unit.pass(20);
    expect(unit.recorded.setting('od_reading/od2')).toMatchObject({ calibrated: 0 });
    expect(unit.recorded.logCount('WARNING')).toBe(1);
    await unit.stop('od_reading');
    active = { ...active, y: 'OD' };
    await expect(unit.run('od_reading')).rejects.toMatchObject({ code: 'calibration_unsuitable' });
  });

  it('warns once that beyond the peak of its calibration a dense culture looks like a thin one', async () => {
    const calibration = {
      name: 'peaked',
      hash: '1',
      y: 'Voltage',
      irLedIntensity: null,
      channel: null,
      turnsAt: 2.345,
      inverse: (volts: number) => ({ x: volts, isOutOfRange: false, isLowerBound: false }),
      dutyFor: () => undefined,
      shownFor: (x: number) => x,
    };
    await using unit = await testUnit({
      devices: { calibrationOf: (name) => (name === 'od90' ? calibration : undefined) },
    });
    await unit.run('od_reading');
    await unit.pass(60);
    expect(unit.recorded.logCount('WARNING')).toBe(1);
  });

  it('makes one OD of all angles where an estimator is active and fits', async () => {
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
    await using unit = await testUnit({ devices: { fusionOf: () => fusion } });
    await unit.run('od_reading');
    await unit.pass(20);
    const fused = unit.recorded.of('od_fused').at(-1);
    expect(fused?.value).toBeCloseTo(5 * (unit.recorded.values('raw_od').at(-1) ?? 0), 9);
    expect(fused?.context).toMatchObject({ calibration_name: 'est1', calibration_hash: 'e1' });
    expect(unit.recorded.setting('od_reading/od_fused')).toMatchObject({ od_fused: fused?.value });
    await unit.runtime.update({ jobName: 'od_reading' }, { ir_led_intensity: 70 }, 'http');
    await unit.pass(20);
    expect(unit.recorded.setting('od_reading/od_fused')).toBeNull();
  });

  it('marks a fused OD at an end of what its estimator covers', async () => {
    const fusion = { name: 'est1', hash: 'e1', irLedIntensity: 80 };
    let isLowerBound = true;
    const fuse = () => ({ concentration: 2, isAtBound: true, isLowerBound });
    await using unit = await testUnit({ devices: { fusionOf: () => ({ ...fusion, fuse }) } });
    await unit.run('od_reading');
    await unit.pass(20);
    expect(unit.recorded.of('od_fused').at(-1)).toMatchObject({ flags: ['out_of_range'], isLeast: true });
    isLowerBound = false;
    await unit.pass(10);
    expect(unit.recorded.of('od_fused').at(-1)?.flags).toEqual(['out_of_range']);
    expect(unit.recorded.of('od_fused').at(-1)?.isLeast).toBeUndefined();
  });

  it.each(['50', '60', '50.0', '60.0'])('reads where the mains have %s Hz', async (local_ac_hz) => {
    await using unit = await testUnit({ config: { 'od_reading.config': { local_ac_hz } } });
    await unit.run('od_reading');
    await unit.pass(20);
    expect(unit.recorded.of('od').length).toBeGreaterThan(2);
  });

  it('takes no readings while it is paused, and a single one on request', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading');
    await unit.pass(30);
    await unit.runtime.update({ jobName: 'od_reading' }, { $state: 'sleeping' }, 'http');
    const before = unit.recorded.of('od').length;
    await unit.pass(60);
    expect(unit.recorded.of('od').length).toBe(before);
    await unit.runtime.update({ jobName: 'od_reading' }, { $state: 'ready' }, 'http');
    await unit.pass(30);
    expect(unit.recorded.of('od').length).toBeGreaterThan(before + 3);
    await unit.stop('od_reading');
    const single = unit.recorded.of('od').length;
    await unit.run('od_reading', { options: { snapshot: null } });
    await unit.pass(30);
    expect(unit.recorded.of('od').length).toBe(single + 1);
    expect(unit.recorded.states.at(-1)).toBe('od_reading disconnected');
  });

  it('ends the wait for its light when it ends in the middle of a reading', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading');
    await unit.pass(10);
    const isReading = () => unit.devices.opticalReadings.latest(opticalReadingKey)?.phase === 'begun';
    while (!isReading()) await unit.clock.advance(50);
    const lit = unit.devices.infraredLight.holder?.withLight(50, async () => 'lit');
    const failed = expect(lit).rejects.toBeInstanceOf(JobEnded);
    await unit.stop('od_reading');
    await failed;
  });

  it.each([
    [{ 'od_config.photodiode_channel': { 1: 'REF' } }, 'at least one photodiode'],
    [{ 'od_config.photodiode_channel': { 1: 'REF', 2: 'REF', 3: '90' } }, 'one photodiode at most'],
    [{ 'od_config.photodiode_channel': { 4: '90' } }, 'no photodiode 4'],
    [{ 'od_config.photodiode_channel': { 2: '91' } }, "'91'"],
    [{ leds: { A: 'white' } }, 'one of them is IR'],
    [{ 'od_reading.config': { samples_per_second: '0' } }, 'samples_per_second'],
  ])('refuses the configuration %j with a sentence', async (config, sentence) => {
    await using unit = await testUnit({ config });
    await expect(unit.run('od_reading')).rejects.toMatchObject({ body: { cause: expect.stringContaining(sentence) } });
  });
});
