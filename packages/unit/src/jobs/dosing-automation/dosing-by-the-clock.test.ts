import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  actuations,
  automation,
  automationEvents,
  chemostatDoseMl,
  env,
  errors,
  metered,
  moved,
  stateOf,
  type TestUnit,
} from '../../testing/test-dosing.ts';
import { defaultPumpCalibrations } from '../../testing/test-ledger.ts';
import { passingMemory } from '../shared/job-memory.ts';

describe('a chemostat', () => {
  const exchanges = (unit: TestUnit): number =>
    automationEvents(unit).filter((name) => name === 'DilutionEvent').length;

  it('exchanges two seconds after its start, and then at its period', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(1);
    expect(actuations(unit)).toEqual([]);
    await unit.pass(60);
    expect(exchanges(unit)).toBe(1);
    await unit.pass(3600);
    expect(exchanges(unit)).toBe(7);
    expect(moved(unit, 'add_media')).toBeCloseTo(7 * chemostatDoseMl(0.2, 10), 6);
  });

  it('waits for a whole period where that is requested', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2, skip_first_run: true });
    await unit.pass(590);
    expect(exchanges(unit)).toBe(0);
    await unit.pass(60);
    expect(exchanges(unit)).toBe(1);
  });

  it('takes over a new period, counted from its last exchange, and records every change of its settings', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 60, exchange_volume_ml: 0.2 });
    await unit.pass(300);
    const update = (duration: number) => unit.runtime.update({ jobName: 'dosing_automation' }, { duration }, 'http');
    await update(10);
    await unit.pass(290);
    expect(exchanges(unit)).toBe(1);
    await unit.pass(40);
    expect(exchanges(unit)).toBe(2);
    await unit.pass(300);
    await update(2);
    await unit.pass(30);
    expect(exchanges(unit)).toBe(3);
    await expect(update(0)).rejects.toMatchObject({ code: 'job_setting_invalid' });
    await unit.stop('dosing_automation');
    const intervals = unit.recorded.events.filter(({ name }) => name === 'automation_settings').map(({ data }) => data);
    expect(intervals.map(({ ended_at, settings }) => [ended_at === null, settings])).toEqual([
      [true, { duration: 60, exchange_volume_ml: 0.2 }],
      [false, { duration: 60, exchange_volume_ml: 0.2 }],
      [true, { duration: 10, exchange_volume_ml: 0.2 }],
      [false, { duration: 10, exchange_volume_ml: 0.2 }],
      [true, { duration: 2, exchange_volume_ml: 0.2 }],
      [false, { duration: 2, exchange_volume_ml: 0.2 }],
    ]);
  });

  it('does not start without the calibrations of its pumps, and names them', async () => {
    const { unit } = await metered({ pumpCalibrationOf: () => undefined });
    await using _unit = unit;
    await expect(automation(unit, 'chemostat')).rejects.toMatchObject({
      code: 'pumps_refused',
      body: { cause: 'The media pump is not calibrated.', status: 409 },
    });
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
    await unit.pass(5);
    await automation(unit, 'silent');
    expect(stateOf(unit)).toBe('ready');
  });

  it('continues after a manual dose with the same pumps', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(120);
    for (const job of ['add_media', 'remove_waste']) await unit.run(job, { options: { ml: 0.3 }, env });
    await unit.pass(600);
    expect(exchanges(unit)).toBe(2);
    expect(errors(unit)).toEqual([]);
  });

  it('begins with the vial values of the start', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { current_volume_ml: 12, alt_media_fraction: 0.25, skip_first_run: true });
    expect(unit.liquids.ledger.values('exp1')).toMatchObject({ current_volume_ml: 12, alt_media_fraction: 0.25 });
  });

  it('keeps the first period, also when the period changes in the meantime', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 30, exchange_volume_ml: 0.2, skip_first_run: true });
    await unit.pass(300);
    await unit.runtime.update({ jobName: 'dosing_automation' }, { duration: 20 }, 'http');
    await unit.pass(600);
    expect(exchanges(unit)).toBe(0);
    await unit.pass(400);
    expect(exchanges(unit)).toBe(1);
  });

  it('pauses when the calibration of a pump disappears during an exchange, and records the moved volume', async () => {
    let isWasteCalibrated = true;
    const { unit } = await metered({
      pumpCalibrationOf: (device) =>
        device === 'waste_pump' && !isWasteCalibrated ? undefined : defaultPumpCalibrations(device),
    });
    await using _unit = unit;
    await automation(unit, 'chemostat', { duration: 10, exchange_volume_ml: 0.2 });
    await unit.pass(3);
    isWasteCalibrated = false;
    await unit.pass(60);
    expect(automationEvents(unit)).toEqual(['DosingStarted', 'DosingStopped', 'ErrorOccurred']);
    expect(unit.recorded.events.findLast(({ data }) => data.event_name === 'DosingStopped')?.data).toMatchObject({
      data: { media_ml: expect.closeTo(chemostatDoseMl(0.2, 10), 6), waste_ml: 0 },
    });
    expect(stateOf(unit)).toBe('sleeping');
  });

  it('does not begin with a multiplier of the waste that would let the level rise', async () => {
    const config = { 'dosing_automation.config': { waste_removal_multiplier: '0.5' } };
    const { unit } = await metered({ config });
    await using _unit = unit;
    await expect(automation(unit, 'chemostat', { duration: 10 })).rejects.toMatchObject({
      body: {
        cause: expect.stringContaining('waste_removal_multiplier'),
      },
    });
  });
});

it('a fed batch adds until the vial is full, and then sleeps', async () => {
  const { unit } = await metered();
  await using _unit = unit;
  await automation(unit, 'fed_batch', { duration: 5, dosing_volume_ml: 0.9 });
  await unit.pass(3600);
  expect(moved(unit, 'add_media')).toBeCloseTo(3.6, 6);
  expect(moved(unit, 'remove_waste')).toBe(0);
  expect(stateOf(unit)).toBe('sleeping');
  expect(errors(unit)).toHaveLength(1);
  expect(unit.recorded.logCount('WARNING')).toBeGreaterThan(0);
});

describe('a morbidostat', () => {
  it('gives alternative medium to what grows too fast, and none to what grows at its target', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    const growing = (rate: number) => {
      meters.reads(1.5, 'od_filtered');
      meters.reads(rate, 'growth_rate');
    };
    growing(0.05);
    await automation(unit, 'pid_morbidostat', { target_growth_rate: 0.1 });
    await unit.pass(120);
    expect(moved(unit, 'add_alt_media')).toBe(0);
    expect(moved(unit, 'add_media')).toBeCloseTo(2 * 14 * Math.expm1(0.05) + 0.02, 3);
    for (let minute = 2; minute < 62; minute += 1) {
      growing(0.5);
      await unit.pass(60);
    }
    // From nothing to 0.02 · √5 in the vial, of which the exchange is 1 − exp(−0.1).
    const share = (0.02 * Math.sqrt(5)) / (1 - Math.exp(-0.1));
    expect(moved(unit, 'add_alt_media')).toBeCloseTo((2 * 14 * Math.expm1(0.05) + 0.02) * share, 2);
    expect(automationEvents(unit).filter((name) => name === 'AddAltMediaEvent')).toHaveLength(2);
    expect(unit.liquids.ledger.values('exp1').alt_media_fraction).toBeGreaterThan(0.03);
  });

  it('waits ten seconds for its readings, then reports the missing ones and retries at its period', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    await automation(unit, 'pid_morbidostat', { duration: 10 });
    await unit.pass(30);
    expect(errors(unit)).toHaveLength(1);
    await unit.pass(500);
    meters.reads(1.5, 'od_filtered');
    meters.reads(0.1, 'growth_rate');
    await unit.pass(200);
    expect(automationEvents(unit)).toContain('AddAltMediaEvent');
  });
});

it('gives the job that makes its readings five minutes for the first one before it calls that an error', async () => {
  const { unit } = await metered();
  await using _unit = unit;
  await unit.run('growth_rate_calculating', { env });
  await automation(unit, 'turbidostat', { target_biomass: 2, biomass_signal: 'normalized_od' });
  await unit.pass(240);
  expect(errors(unit)).toEqual([]);
  await unit.pass(120);
  expect(errors(unit)).toHaveLength(1);
});

describe('after a power cut', () => {
  it('dosing waits for a fresh optical density, and its period continues', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-dosing-'));
    const memory = passingMemory();
    const more = { folder, devices: { memory } };
    try {
      {
        const { unit, meters } = await metered(more);
        await using _unit = unit;
        meters.reads(0.5);
        await automation(unit, 'chemostat', { duration: 60, exchange_volume_ml: 0.2 });
        await unit.pass(600);
        await unit.runtime.update({ jobName: 'dosing_automation' }, { exchange_volume_ml: 0.3 }, 'http');
        expect(moved(unit, 'add_media')).toBeCloseTo(chemostatDoseMl(0.2, 60), 6);
      }
      const { unit, meters } = await metered(more);
      await using _unit = unit;
      const cut = unit.runtime.interrupted.find(({ jobName }) => jobName === 'dosing_automation');
      if (cut === undefined) throw new Error('The automation was not cut.');
      await unit.pass(1200);
      await unit.runtime.resume(cut);
      await unit.pass(1);
      expect(unit.runtime.settings('dosing_automation').exchange_volume_ml).toBe(0.3);
      // Not at once: it has dosed half an hour ago.
      await unit.pass(600);
      expect(actuations(unit)).toEqual([]);
      const warnings = unit.recorded.logCount('WARNING');
      await unit.pass(3600);
      expect(actuations(unit)).toEqual([]);
      expect(unit.recorded.logCount('WARNING')).toBe(warnings + 1);
      meters.reads(0.5, 'od', ['outlier']);
      await unit.pass(60);
      expect(actuations(unit)).toEqual([]);
      meters.reads(0.5);
      await unit.pass(60);
      expect(moved(unit, 'add_media')).toBeCloseTo(chemostatDoseMl(0.3, 60), 6);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
