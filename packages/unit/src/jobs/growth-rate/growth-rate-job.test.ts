import { SeededStream } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { env, metered } from '../../testing/test-dosing.ts';
import { quietVial, testUnit } from '../../testing/test-unit.ts';
import type { Calibration } from '../shared/calibration.ts';

const growing = { start: { volumeMl: 15, od: 0.1, reservoirMl: 1000 } };

async function growingUnit(options: Parameters<typeof testUnit>[0] = {}) {
  const unit = await testUnit({ ...growing, oversampling: 'closed_form', ...options });
  await unit.run('stirring');
  await unit.run('od_reading');
  await unit.run('growth_rate_calculating');
  return unit;
}

describe('growth_rate_calculating', () => {
  it('publishes growth rate and filtered OD with each reading after the warm-up, close to the true values', async () => {
    await using unit = await growingUnit();
    await unit.pass(60);
    expect(unit.recorded.of('growth_rate')).toEqual([]);
    await unit.pass(4 * 3600);
    const rates = unit.recorded.of('growth_rate');
    const ods = unit.recorded.of('od');
    expect(rates.length).toBeGreaterThan(ods.length - 20);
    expect(rates.at(-1)?.atMs).toBe(ods.at(-1)?.atMs);
    // Ninety degrees are not linear in OD: the signal's exponent of 1.08 shows in the rate.
    expect(Math.abs((rates.at(-1)?.value ?? 0) / (1.08 * unit.plant.vial.growthRate) - 1)).toBeLessThan(0.15);
    expect(unit.recorded.of('od_filtered')[0]?.value).toBeCloseTo(1, 1);
    expect(rates[0]?.derivation).toMatchObject({ name: 'growth_filter', key: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(unit.recorded.setting('growth_rate_calculating/growth_rate')).toMatchObject({
      growth_rate: rates.at(-1)?.value,
    });
    const deviations = unit.recorded.of('growth_rate_sd');
    expect(deviations.map(({ atMs }) => atMs)).toEqual(rates.map(({ atMs }) => atMs));
    // Most of it is from the unknown background of a raw signal.
    expect(deviations.at(-1)?.value).toBeLessThan(0.08);
    expect(deviations.at(-1)?.derivation).toEqual(rates.at(-1)?.derivation);
    expect(unit.recorded.setting('growth_rate_calculating/growth_rate_sd')).toMatchObject({
      growth_rate_sd: deviations.at(-1)?.value,
    });
  });

  it('continues after a restart of the job', async () => {
    await using unit = await growingUnit();
    await unit.pass(3600);
    const before = unit.recorded.values('od_filtered').at(-1) ?? 0;
    await unit.stop('growth_rate_calculating');
    const published = unit.recorded.of('growth_rate').length;
    await unit.run('growth_rate_calculating');
    await unit.pass(12);
    expect(unit.recorded.of('growth_rate').length).toBeGreaterThan(published);
    expect((unit.recorded.values('od_filtered').at(-1) ?? 0) / before).toBeCloseTo(1, 2);
  });

  it('of a signal within its noise begins when it is clear of it; the log of each start says once why it does not yet', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    const chance = new SeededStream('blanked');
    const reads = async (od: number, count: number): Promise<void> => {
      for (let reading = 0; reading < count; reading += 1) {
        meters.reads(od * (1 + 0.005 * chance.normal()) + 0.004 * chance.normal());
        await unit.pass(5);
      }
    };
    await unit.run('growth_rate_calculating', { env });
    await reads(0.002, 120);
    await unit.stop('growth_rate_calculating');
    await unit.run('growth_rate_calculating', { env });
    await reads(0.002, 120);
    expect(unit.recorded.of('growth_rate')).toEqual([]);
    const reasons = unit.recorded.logs.filter((line) => line.startsWith('NOTICE') && line.includes('noise'));
    expect(reasons).toHaveLength(2);
    await reads(0.3, 60);
    expect(unit.recorded.of('growth_rate').length).toBeGreaterThan(10);
    expect(unit.recorded.values('od_filtered')[0]).toBeCloseTo(1, 1);
  });

  it('restarts the warm-up after its cache was cleared', async () => {
    await using unit = await growingUnit();
    await unit.pass(2 * 3600);
    expect(unit.recorded.values('od_filtered').at(-1)).toBeGreaterThan(1.1);
    await unit.stop('growth_rate_calculating');
    await unit.run('growth_rate_calculating', { args: ['clear_cache'] });
    await unit.run('growth_rate_calculating');
    await unit.pass(100);
    expect(unit.recorded.values('od_filtered').at(-1)).toBeCloseTo(1, 1);
  });

  it('does not take a dose for a falling growth rate', async () => {
    await using unit = await growingUnit();
    await unit.pass(2 * 3600);
    const before = unit.recorded.values('growth_rate').at(-1) ?? 0;
    const ods = unit.recorded.of('od').at(-1);
    const share = 15 / 16;
    unit.runtime.topics.events.publish('dosing', {
      name: 'dosing',
      data: { event: 'add_media', volume_change_ml: 1, volume_before_ml: 15 },
    });
    await unit.stop('od_reading');
    for (let reading = 1; reading <= 60; reading += 1) {
      await unit.pass(5);
      const value = (ods?.value ?? 0) * share * Math.exp((before * reading * 5) / 3600);
      unit.runtime.topics.readings.publish('od/2', { source: 'od', channel: '2', value, atMs: unit.clock.now() });
    }
    expect(Math.abs((unit.recorded.values('growth_rate').at(-1) ?? 0) - before)).toBeLessThan(0.03);
  });

  it('logs that a sensor is stuck, and keeps running', async () => {
    await using unit = await testUnit();
    await unit.run('growth_rate_calculating');
    const publish = async (value: number) => {
      await unit.pass(5);
      unit.runtime.topics.readings.publish('od/2', { source: 'od', channel: '2', value, atMs: unit.clock.now() });
    };
    for (let reading = 0; reading < 30; reading += 1) await publish(0.1);
    expect(unit.recorded.logs.filter((line) => line.includes('channel 2'))).toHaveLength(1);
    for (let reading = 0; reading < 30; reading += 1) await publish(reading % 2 === 0 ? 0.1 : 0.101);
    expect(unit.recorded.of('growth_rate').length).toBeGreaterThan(5);
  });

  it('combines all channels of one time in one estimate', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('growth_rate_calculating');
    for (let reading = 0; reading < 40; reading += 1) {
      await unit.pass(5);
      const atMs = unit.clock.now();
      for (const channel of ['2', '3']) {
        const value = 0.1 + 0.001 * (reading % 3);
        unit.runtime.topics.readings.publish(`od/${channel}`, { source: 'od', channel, value, atMs });
      }
    }
    await unit.pass(1);
    expect(unit.recorded.of('growth_rate').length).toBe(40 - 5 - 10);
  });

  it('continues at its value when a calibration becomes active, and after a restart at that time', async () => {
    const calibration: Calibration = {
      name: 'od90_nov',
      hash: '9f1c',
      y: 'Voltage',
      irLedIntensity: 80,
      channel: '2',
      inverse: (volts) => ({ x: 2.5 * volts, isOutOfRange: false, isLowerBound: false }),
      dutyFor: () => undefined,
      shownFor: (x) => x,
    };
    let active: Calibration | undefined;
    await using unit = await growingUnit({
      devices: { calibrationOf: (name) => (name === 'od90' ? active : undefined) },
    });
    await unit.pass(2 * 3600);
    const before = unit.recorded.values('od_filtered').at(-1) ?? 0;
    expect(before).toBeGreaterThan(1.1);
    await unit.stop('od_reading');
    active = calibration;
    await unit.run('od_reading');
    await unit.pass(22);
    await unit.stop('growth_rate_calculating');
    const known = unit.recorded.of('od_filtered').length;
    await unit.run('growth_rate_calculating');
    await unit.pass(300);
    const later = unit.recorded.of('od_filtered').slice(known);
    expect(later.length).toBeGreaterThan(35);
    for (const { value, flags } of later) {
      expect(Math.abs(value / before - 1)).toBeLessThan(0.1);
      expect(flags).toEqual([]);
    }
    expect(unit.recorded.of('od').at(-1)?.context).toMatchObject({ calibration_hash: '9f1c' });
  });

  it('publishes the signal flags of the ODs with growth rate and filtered OD', async () => {
    await using unit = await testUnit({ vial: quietVial });
    await unit.run('growth_rate_calculating');
    const publish = async (reading: number, flags: readonly string[], isLeast: boolean) => {
      await unit.pass(5);
      const atMs = unit.clock.now();
      const value = 0.1 + 0.001 * (reading % 3);
      const published = { source: 'od', value, atMs };
      unit.runtime.topics.readings.publish('od/2', { ...published, channel: '2', flags, isLeast });
      unit.runtime.topics.readings.publish('od/3', { ...published, channel: '3', flags: ['bubbles'] });
    };
    for (let reading = 0; reading < 40; reading += 1)
      await publish(reading, reading < 39 ? ['bubbles'] : ['vial_out'], true);
    await unit.pass(1);
    const sources = ['growth_rate', 'growth_rate_sd', 'od_filtered'];
    for (const source of sources) {
      expect(unit.recorded.of(source).at(-2)?.flags).toEqual(['bubbles']);
      expect(unit.recorded.of(source).at(-1)?.flags).toEqual(['vial_out', 'bubbles']);
    }
    expect(sources.map((source) => unit.recorded.of(source).at(-1)?.isLeast ?? false)).toEqual([false, false, true]);
  });

  it('starts after a single reading if configured', async () => {
    await using unit = await growingUnit({
      config: { 'growth_rate_calculating.config': { samples_for_od_statistics: '1' } },
    });
    await unit.pass(60);
    expect(unit.recorded.of('growth_rate').length).toBeGreaterThan(3);
  });

  it('refuses a threshold that would make every second reading an outlier', async () => {
    await using unit = await testUnit({
      config: { 'growth_rate_calculating.config': { ekf_outlier_std_threshold: '2' } },
    });
    const run = unit.run('growth_rate_calculating');
    await expect(run).rejects.toMatchObject({ body: { cause: expect.stringContaining('ekf_outlier_std_threshold') } });
  });
});
