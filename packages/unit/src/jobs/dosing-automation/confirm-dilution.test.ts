import type { RunJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { automation, automationEvents, env, metered, moved, type TestUnit } from '../../testing/test-dosing.ts';

const target = { jobName: 'dosing_automation' };

const start = (unit: TestUnit, options: Record<string, unknown>, confirm_dilution?: boolean) => {
  const body: RunJob = { options, env, ...(confirm_dilution !== undefined && { confirm_dilution }) };
  return unit.runtime.run('dosing_automation', unit.runtime.accept('dosing_automation', body).generation);
};
const turbidostat = (target_biomass: number, biomass_signal?: string) => ({
  automation_name: 'turbidostat',
  target_biomass,
  ...(biomass_signal !== undefined && { biomass_signal }),
});
const dilutionWarnings = (unit: TestUnit) =>
  unit.recorded.logs.filter((line) => line.startsWith('WARNING') && /biomass|OD/.test(line));

/** What the person saw: OD 0.26 on the card; the growth rate has just been started, so the normalised OD is about 1. */
async function freshCulture() {
  const { unit, meters } = await metered();
  meters.reads(0.26);
  meters.reads(1.005, 'od_filtered');
  return { unit, meters };
}

describe('a start that would dilute at once', () => {
  it('is refused with value and target without confirmation, and nothing is pumped', async () => {
    const { unit, meters } = await freshCulture();
    await using _unit = unit;
    expect(() => start(unit, turbidostat(0.5), false)).toThrow(
      expect.objectContaining({
        code: 'dilution_not_confirmed',
        status: 409,
        body: expect.objectContaining({ cause: expect.stringMatching(/1\.005 .*0\.5 /) }),
      }),
    );
    meters.reads(1.006, 'od_filtered');
    await unit.pass(60);
    expect(moved(unit, 'add_media')).toBe(0);
    expect(unit.runtime.running(target)).toEqual([]);
  });

  it('starts with a confirmation, or when the client requests none, and is reported', async () => {
    for (const confirm of [true, undefined]) {
      const { unit, meters } = await freshCulture();
      await using _unit = unit;
      expect(await start(unit, turbidostat(0.5, 'auto'), confirm)).toMatchObject({
        ok: true,
        state: 'ready',
        warnings: [{ code: 'dilutes_at_once', biomass_signal: 'normalized_od', value: 1.005, target: 0.5 }],
      });
      expect(dilutionWarnings(unit)).toEqual([expect.stringMatching(/1\.005 .*0\.5 /)]);
      meters.reads(1.006, 'od_filtered');
      await unit.pass(60);
      expect(automationEvents(unit)).toContain('DilutionEvent');
    }
  });

  it('is one by the scale that was chosen: the same target on the OD reading needs no confirmation', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    const started = await start(unit, turbidostat(0.5, 'od'), false);
    expect(started).not.toHaveProperty('warnings');
    expect(dilutionWarnings(unit)).toEqual([]);
  });

  it('needs confirmation also when the density is unknown', async () => {
    const { unit } = await metered();
    await using _unit = unit;
    expect(() => start(unit, turbidostat(0.5, 'od'), false)).toThrow(
      expect.objectContaining({ code: 'dilution_not_confirmed' }),
    );
    await unit.pass(2);
    expect(await start(unit, turbidostat(0.5, 'od'))).toMatchObject({
      warnings: [{ code: 'density_unknown', value: null, target: 0.5 }],
    });
  });

  it('needs confirmation for a morbidostat above the density from which it dilutes, and not below it', async () => {
    const { unit, meters } = await metered();
    await using _unit = unit;
    meters.reads(1.2, 'od_filtered');
    meters.reads(0.3, 'growth_rate');
    const morbidostat = (target_normalized_od: number) => ({
      automation_name: 'pid_morbidostat',
      target_normalized_od,
      target_growth_rate: 0.1,
    });
    expect(() => start(unit, morbidostat(1.5), false)).toThrow(
      expect.objectContaining({ code: 'dilution_not_confirmed' }),
    );
    await unit.pass(2);
    expect(await start(unit, morbidostat(2), false)).not.toHaveProperty('warnings');
  });

  it('needs no confirmation where the density is irrelevant', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    const chemostat = { automation_name: 'chemostat', exchange_volume_ml: 0.5, duration: 60 };
    expect(await start(unit, chemostat, false)).not.toHaveProperty('warnings');
  });

  it('needs no confirmation for automations of plugins, which have rules of their own', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    const { warningOf: foresee } = unit.runtime.definition('dosing_automation');
    const request = {
      definition: unit.runtime.definition('dosing_automation'),
      options: { automation_name: 'sip' },
      args: [],
      overrides: [],
      experiment: undefined,
      source: 'user',
      isActive: undefined,
      model: undefined,
      body: {},
    };
    expect(foresee?.(request, { topics: unit.runtime.topics, clock: unit.clock, config: {} })).toBeUndefined();
  });

  it('names the fault of an unknown signal', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    await expect(start(unit, turbidostat(0.5, 'the colour'), false)).rejects.toMatchObject({
      code: 'job_setting_invalid',
    });
  });
});

describe('a change of a running turbidostat that would dilute at once', () => {
  it('is refused without a confirmation, and the old target stays', async () => {
    const { unit, meters } = await freshCulture();
    await using _unit = unit;
    await automation(unit, 'turbidostat', turbidostat(2, 'normalized_od'));
    const change = { target_biomass: 0.9 };
    await expect(unit.runtime.update(target, change, 'http', { confirmsDilution: false })).rejects.toMatchObject({
      code: 'dilution_not_confirmed',
      status: 409,
    });
    expect(unit.runtime.settings('dosing_automation').target_biomass).toBe(2);
    const signal = { biomass_signal: 'od', target_biomass: 0.2 };
    await expect(unit.runtime.update(target, signal, 'http', { confirmsDilution: false })).rejects.toMatchObject({
      code: 'dilution_not_confirmed',
    });
    meters.reads(1.01, 'od_filtered');
    await unit.pass(60);
    expect(moved(unit, 'add_media')).toBe(0);
  });

  it('applies with a confirmation, or without a statement, and is reported; harmless changes are not', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    await automation(unit, 'turbidostat', turbidostat(2, 'normalized_od'));
    const how = { confirmsDilution: false };
    const larger = { target_biomass: 3, exchange_volume_ml: 0.5 };
    expect(await unit.runtime.update(target, larger, 'http', how)).toEqual({ settings: larger, isRecorded: true });
    const warnings = [{ code: 'dilutes_at_once', value: 1.005, target: 0.9 }];
    const smaller = { target_biomass: 0.9 };
    expect(await unit.runtime.update(target, smaller, 'mqtt')).toMatchObject({ settings: smaller, warnings });
    expect(await unit.runtime.update(target, smaller, 'http', { confirmsDilution: true })).toMatchObject({
      warnings,
    });
    expect(dilutionWarnings(unit)).toHaveLength(2);
    const volume = { exchange_volume_ml: 0.2 };
    expect(await unit.runtime.update(target, volume, 'http', how)).toEqual({ settings: volume, isRecorded: true });
  });
});

describe('an exchange', () => {
  const unconfirmed = expect.objectContaining({ code: 'dilution_not_confirmed', status: 409 });
  const exchange = (exchange_volume_ml: number) => ({ ...turbidostat(2, 'od'), exchange_volume_ml });
  const chemostat = (exchange_volume_ml: number, duration: number) => ({
    automation_name: 'chemostat',
    exchange_volume_ml,
    duration,
  });

  it('that the vial does not hold is refused at the field, whoever confirms it', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    expect(() => start(unit, exchange(99), true)).toThrow(
      expect.objectContaining({
        code: 'job_options_invalid',
        status: 400,
        body: expect.objectContaining({ field: 'exchange_volume_ml' }),
      }),
    );
    await unit.pass(2);
    await start(unit, exchange(1), false);
    const change = { exchange_volume_ml: 60 };
    for (const confirmsDilution of [true, false, undefined])
      await expect(unit.runtime.update(target, change, 'http', { confirmsDilution })).rejects.toMatchObject({
        code: 'job_setting_invalid',
      });
    expect(unit.runtime.settings('dosing_automation').exchange_volume_ml).toBe(1);
  });

  it('of more than half of the culture needs confirmation, at the start and as a change', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    expect(() => start(unit, exchange(12), false)).toThrow(unconfirmed);
    await unit.pass(2);
    expect(await start(unit, exchange(9), false)).not.toHaveProperty('warnings');
    const change = { exchange_volume_ml: 12 };
    expect(unit.runtime.checkUpdate(target, change)).toMatchObject({ warnings: [{ code: 'exchanges_most' }] });
    expect(unit.runtime.checkUpdate(target, { exchange_volume_ml: 8 })).toEqual({});
    expect(() => unit.runtime.checkUpdate(target, { exchange_volume_ml: 60 })).toThrow(
      expect.objectContaining({ code: 'job_setting_invalid' }),
    );
    expect(unit.runtime.settings('dosing_automation').exchange_volume_ml).toBe(9);
    await expect(unit.runtime.update(target, change, 'http', { confirmsDilution: false })).rejects.toMatchObject({
      code: 'dilution_not_confirmed',
    });
    expect(await unit.runtime.update(target, change, 'mqtt')).toMatchObject({
      warnings: [{ code: 'exchanges_most', limit: 0.5 }],
    });
  });

  it('of a chemostat that washes the culture out needs confirmation', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    expect(() => start(unit, chemostat(9, 1), false)).toThrow(unconfirmed);
    await unit.pass(2);
    // 2.0 and 2.1 per hour of 14 mL.
    expect(await start(unit, chemostat(0.4666, 1), false)).not.toHaveProperty('warnings');
    const change = { exchange_volume_ml: 0.49 };
    await expect(unit.runtime.update(target, change, 'http', { confirmsDilution: false })).rejects.toMatchObject({
      code: 'dilution_not_confirmed',
    });
    expect(await unit.runtime.update(target, change, 'http', { confirmsDilution: true })).toMatchObject({
      warnings: [{ code: 'washes_out', value: expect.closeTo(2.1, 6), limit: 2 }],
    });
    await expect(
      unit.runtime.update(target, { duration: 0.9 }, 'http', { confirmsDilution: false }),
    ).rejects.toMatchObject({ code: 'dilution_not_confirmed' });
  });

  it('of a chemostat is compared with the growth rate and its uncertainty', async () => {
    const { unit, meters } = await freshCulture();
    await using _unit = unit;
    meters.reads(0.6, 'growth_rate');
    meters.reads(0.05, 'growth_rate_sd');
    expect(() => start(unit, chemostat(0.71 * 14, 60), false)).toThrow(unconfirmed);
    await unit.pass(2);
    expect(await start(unit, chemostat(0.69 * 14, 60), false)).not.toHaveProperty('warnings');
  });

  it('that is requested twice at the same time and not confirmed is refused twice', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    await start(unit, exchange(1), false);
    const change = { target_biomass: 0.1 };
    const twice = [1, 2].map(() => unit.runtime.update(target, change, 'http', { confirmsDilution: false }));
    expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(unit.runtime.settings('dosing_automation').target_biomass).toBe(2);
  });
});

describe('a fed-batch', () => {
  const fedBatch = (dosing_volume_ml: number) => ({ automation_name: 'fed_batch', dosing_volume_ml, duration: 60 });

  it('whose first addition overfills the vial is refused as a dose by hand is', async () => {
    const { unit } = await freshCulture();
    await using _unit = unit;
    expect(() => start(unit, fedBatch(4), true)).toThrow(
      expect.objectContaining({ code: 'dose_overflows', status: 400 }),
    );
    await unit.pass(2);
    await start(unit, fedBatch(1), false);
    await expect(unit.runtime.update(target, { dosing_volume_ml: 5 }, 'http')).rejects.toMatchObject({
      code: 'job_setting_invalid',
    });
  });
});
